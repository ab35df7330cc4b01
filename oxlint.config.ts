/**
 * What oxlint enforces. The import rules at the end say which package may import what.
 */
import { posix } from "node:path"
import type { OxlintConfig, OxlintOverride } from "oxlint"

/** The packages that the sources of each package may import. A package without a row may import none. */
const packages = {
  core: ["effect", "libphonenumber-js"],
  postgres: ["@countersign/core", "effect", "@effect/sql-pg", "@electric-sql/pglite", "node:*"],
  // SMPP runs over sockets of Node.
  gateways: ["@countersign/core", "effect", "node:*"],
  // The client of the provider is loaded by mounts with a sign-in only.
  http: ["@countersign/core", "effect", "openid-client"],
  node: ["@countersign/core", "@countersign/http", "effect", "node:*"],
  // A development mount.
  inbox: [
    "@countersign/core",
    "@countersign/http",
    "@countersign/node",
    "effect",
    "node:*",
    "vitest",
  ],
  // Signs and verifies with jose alone; only the signer needs core and Effect.
  proofs: ["@countersign/core", "effect", "jose"],
  // Mounts: the framework, and nothing else.
  express: ["node:*"],
  fastify: ["fastify", "node:*"],
  hono: ["hono"],
  // A plugin of better-auth, and its client, which runs in browsers.
  "better-auth": ["better-auth", "countersign", "node:crypto"],
  nestjs: ["@countersign/express", "@countersign/fastify", "@nestjs/*", "countersign", "node:*"],
  // Combines the adapters.
  countersign: [
    "@countersign/core",
    "@countersign/gateways",
    "@countersign/http",
    "@countersign/node",
    "@countersign/postgres",
    "@countersign/proofs",
    "effect",
    "node:*",
  ],
  // Receives the requests of other servers, and calls the engine that the host has.
  hooks: [
    "@countersign/core",
    "@countersign/http",
    "@countersign/node",
    "countersign",
    "effect",
    "node:*",
  ],
  client: [],
  // For browsers: one stylesheet, and an input for codes.
  react: ["input-otp", "react"],
  // Built pages and the function that serves them, on any runtime.
  dashboard: [],
  // Over the services of core; the stores and the gateways are loaded by name.
  // `serve` runs \`countersign\` with the pages of the dashboard.
  cli: [
    "@countersign/core",
    "@countersign/dashboard",
    "@countersign/gateways",
    "@countersign/node",
    "@countersign/postgres",
    "@effect/platform-node-shared",
    "@effect/sql-pg",
    "countersign",
    "csv-parse",
    "effect",
    "node:*",
  ],
  // The vendors that its suites simulate are servers of Node.
  testing: ["@countersign/core", "effect", "fast-check", "@effect/vitest", "node:*"],
}

/** The floors of core, lowest first. A folder imports from itself and from the floors before it. */
const floors = [
  "domain/values",
  "domain/errors",
  "domain/limits",
  "domain/money",
  "domain/messages",
  "domain/verifications",
  "domain/fraud",
  "domain/access",
  "domain/events",
  "domain/outbox",
  "domain/webhooks",
  "domain/alerts",
  "domain/organizations",
  "text",
  "decide/shared",
  "decide/commands",
  "decide",
  "decide/maintenance",
  "api",
  "ports",
  "engine",
  "delivery",
  "services",
  "jobs",
  "routing",
  "adapters",
]

/** The folders of core that compute from their arguments alone. */
const pureFolders = ["domain", "text", "decide"]

/** The modules of effect that contain data and pure functions. A context key is data. */
export const pureEffectModules = `
  Array BigDecimal BigInt Boolean Brand ByteSize Bytes Chunk Combiner Context Data Duration Equal
  Equivalence Filter Formatter Function Hash HashMap HashSet Inspectable Iterable JsonPatch
  JsonPointer JsonSchema Match MutableHashMap MutableHashSet MutableList Newtype NonEmptyIterable
  Number Optic Option Order Ordering Pipeable Predicate PrimaryKey Record Redactable Redacted Reducer
  RegExp Result Schema SchemaAST SchemaGetter SchemaIssue SchemaParser SchemaTransformation SemVer
  String Struct Symbol Trie Tuple Types UndefinedOr Unify Utils Version crypto/Mac encoding/Base64
  encoding/Base64Url encoding/Hex net/IpNetwork net/NetAddress
`
  .trim()
  .split(/\s+/)

const up = (levels: number): string => "../".repeat(levels)

/** Patterns like those of a `.gitignore`: the last one that matches an import decides. */
const allowPackages = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => [`!${name}`, `!${name}/**`])

/** Allows relative imports that climb at most this many folders. */
const allowClimbing = (levels: number): ReadonlyArray<string> =>
  levels === 0 ? ["!./**"] : ["!./**", "!../**", `${up(levels + 1)}**`]

const restrictImports = (
  files: string,
  allowed: ReadonlyArray<string>,
  message: string,
  paths: ReadonlyArray<string> = [],
): OxlintOverride => ({
  files: [files],
  rules: {
    "eslint/no-restricted-imports": [
      "error",
      {
        paths: [...paths],
        patterns: [{ group: ["*", ...allowed, "./**/../**"], message }],
      },
    ],
  },
})

/** Sources: one override per depth of folders, because a relative path says only how far it climbs. */
const sourceRules = (folder: string, names: ReadonlyArray<string>): Array<OxlintOverride> =>
  [0, 1, 2, 3].map((depth) =>
    restrictImports(
      `packages/${folder}/src/${"*/".repeat(depth)}**`,
      [...allowPackages(names), ...allowClimbing(depth)],
      "The table in oxlint.config.ts does not allow this import.",
    ),
  )

/** Whether the folders below a floor are floors of their own. */
const hasFloors = (floor: string): boolean => floors.some((other) => other.startsWith(`${floor}/`))

/** A folder of core that is no floor imports nothing. */
const noFloor = restrictImports(
  "packages/core/src/*/**",
  [],
  "This folder is no floor: add it to the table in oxlint.config.ts.",
)

/** The folders of http: two wire formats over what both need. */
const httpRules = ["mount", "tenant", "admin", "login"].flatMap((folder) =>
  ["", "*/"].map((below) =>
    restrictImports(
      `packages/http/src/${folder}/${below}*.ts`,
      [
        ...allowPackages(packages.http),
        "!./**",
        ...(below === "" ? ["!../mount/**"] : ["!../**", "../../**", "!../../mount/**"]),
      ],
      "The folders admin, login and tenant import from mount, and mount from none of them.",
    ),
  ),
)

const floorRules = floors.flatMap((floor, index) => {
  const isPure = pureFolders.some((folder) => floor === folder || floor.startsWith(`${folder}/`))
  const effect = isPure ? ["effect/**", ...pureEffectModules.map((name) => `!effect/${name}`)] : []
  const message = isPure
    ? `The folder ${floor} is pure, and imports from the floors below it only.`
    : `The folder ${floor} imports from the floors below it only.`
  const toLower = floors.slice(0, index).map((lower) => posix.relative(floor, lower))
  return (hasFloors(floor) ? [""] : ["", "*/"]).map((below) =>
    restrictImports(
      `packages/core/src/${floor}/${below}*.ts`,
      [
        ...allowPackages(packages.core),
        ...effect,
        ...(below === "" ? [hasFloors(floor) ? "!./*" : "!./**"] : ["!./**", "!../**", "../../**"]),
        ...toLower.map((path) =>
          below === "" ? `!${path.startsWith(".") ? path : `./${path}`}/**` : `!../${path}/**`,
        ),
      ],
      message,
      isPure ? ["effect"] : [],
    ),
  )
})

/** Tests import the suites and what their package imports. Tests of several adapters are in `test`. */
const testRules = Object.entries(packages).map(([folder, names]): OxlintOverride => ({
  files: [`packages/${folder}/test/**`],
  rules: {
    "eslint/no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: [
              "@countersign/**",
              "countersign",
              ...allowPackages([
                folder === "countersign" ? folder : `@countersign/${folder}`,
                "@countersign/testing",
                ...names.filter((name) => /^(@countersign\/|countersign$)/.test(name)),
              ]),
            ],
            message: "A test of one package does not import another adapter.",
          },
          {
            regex: `^(\\.\\./)+(packages/)?(${Object.keys(packages).join("|")})/(src|test)/`,
            message: "Relative imports do not lead into another package.",
          },
        ],
      },
    ],
  },
}))

const serverGlobals = [
  { name: "setTimeout", message: "Use Effect.sleep, which tests can govern." },
  { name: "setInterval", message: "Use Effect.repeat, which tests can govern." },
  { name: "window", message: "This runs on servers." },
  { name: "document", message: "This runs on servers." },
  { name: "localStorage", message: "This runs on servers." },
]

const impureGlobals = [
  "performance",
  "process",
  "console",
  "crypto",
  "fetch",
  "setImmediate",
  "queueMicrotask",
  "globalThis",
].map((name) => ({ name, message: "This folder is pure: take the value as an argument." }))

export default {
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "vitest"],
  // Rules of our own. Needs the Node of this repository, which runs TypeScript.
  jsPlugins: ["./test/tools/oxlintPlugin.ts"],
  options: { denyWarnings: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/dist/**"],
  rules: {
    "countersign/explained-disable": "error",
    "countersign/no-withheld-tests": "error",
    "eslint/eqeqeq": "error",
    "eslint/max-lines": ["error", { max: 400 }],
    "eslint/no-var": "error",
    "eslint/prefer-const": "error",
    "import/extensions": ["error", "always", { ignorePackages: true }],
    "import/no-cycle": "error",
    // A bundler turns the import of a stylesheet into a link.
    "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
    "typescript/ban-ts-comment": [
      "error",
      { "ts-expect-error": "allow-with-description", minimumDescriptionLength: 10 },
    ],
    // `as const` is not an assertion.
    "typescript/consistent-type-assertions": ["error", { assertionStyle: "never" }],
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-require-imports": "error",

    // Effect gives a type and its value one name, and its classes take themselves as an argument.
    "eslint/no-shadow": "off",
    "eslint/no-redeclare": "off",
    // `_tag` is how Effect names the case of a union.
    "eslint/no-underscore-dangle": "off",
    "unicorn/consistent-function-scoping": "off",
    "vitest/valid-title": "off",
    "eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    // The suites that every adapter runs assert on behalf of the tests that call them.
    "vitest/expect-expect": "off",
    // Covered by countersign/no-withheld-tests.
    "vitest/no-disabled-tests": "off",
    "vitest/no-focused-tests": "off",
    "vitest/warn-todo": "off",
  },
  overrides: [
    {
      // Generated: one class for each error, the types of all operations, and the document of the login.
      files: [
        "packages/countersign/src/internal/errors/errors.ts",
        "packages/core/src/api/types/*.ts",
        "packages/http/src/login/internal/document.ts",
      ],
      rules: { "eslint/max-lines": "off" },
    },
    {
      files: ["packages/*/src/**"],
      rules: {
        "countersign/no-machine-time": "error",
        "eslint/no-console": "error",
        // The import rules below cannot check a path that is computed.
        "import/no-dynamic-require": ["error", { esmodule: true }],
        "eslint/no-restricted-properties": [
          "error",
          {
            object: "Date",
            property: "now",
            message: "Take the time as an argument, or Clock.",
          },
          { object: "Math", property: "random", message: "Use SecureRandom." },
          { object: "performance", property: "now", message: "Use Clock." },
          {
            object: "globalThis",
            property: "Date",
            message: "Take the time as an argument, or Clock.",
          },
          { object: "globalThis", property: "Math", message: "Name it without globalThis." },
          { object: "globalThis", property: "performance", message: "Use Clock." },
        ],
      },
    },
    {
      // A module of Nest may have no members.
      files: ["packages/nestjs/**"],
      rules: { "typescript/no-extraneous-class": "off" },
    },
    {
      // Readers copy an example without the rest of this repository.
      files: ["examples/features/*.ts"],
      rules: { "eslint/no-restricted-imports": ["error", { patterns: ["./**", "../**"] }] },
    },
    {
      files: ["packages/core/src/**", "packages/http/src/**"],
      rules: { "eslint/no-restricted-globals": ["error", ...serverGlobals] },
    },
    {
      files: pureFolders.map((folder) => `packages/core/src/${folder}/**`),
      rules: { "eslint/no-restricted-globals": ["error", ...serverGlobals, ...impureGlobals] },
    },
    ...sourceRules("*", []),
    ...Object.entries(packages).flatMap(([folder, names]) => sourceRules(folder, names)),
    noFloor,
    ...floorRules,
    ...httpRules,
    ...testRules,
  ],
} satisfies OxlintConfig
