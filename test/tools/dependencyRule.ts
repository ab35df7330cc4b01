/**
 * Who may import what. Data goes in, violations come out.
 */
import { isBuiltin } from "node:module"
import { dirname, join } from "node:path/posix"
import { factsOf, type Import, type SourceFacts } from "./sourceFacts.ts"

const scope = "@countersign/"
const nodeModules = "node:*"

/** What the sources of each package may import. A package that is not in here may not exist. */
export const allowed: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["core", ["effect", "libphonenumber-js"]],
  [
    "postgres",
    ["@countersign/core", "effect", "@effect/sql-pg", "@electric-sql/pglite", nodeModules],
  ],
  // SMPP is spoken over sockets of Node; everything else needs nothing but fetch.
  ["gateways", ["@countersign/core", "effect", nodeModules]],
  ["http", ["@countersign/core", "effect"]],
  ["node", ["@countersign/core", "@countersign/http", "effect", nodeModules]],
  // Mounts: the framework, and nothing else.
  ["express", [nodeModules]],
  ["fastify", ["fastify", nodeModules]],
  ["hono", ["hono"]],
  // The one that puts adapters together.
  [
    "countersign",
    [
      "@countersign/core",
      "@countersign/gateways",
      "@countersign/http",
      "@countersign/node",
      "@countersign/postgres",
      "effect",
      nodeModules,
    ],
  ],
  // No dependency at all.
  ["client", []],
  // The vendors that its suite plays are servers of Node.
  ["testing", ["@countersign/core", "effect", "fast-check", "@effect/vitest", nodeModules]],
])

/**
 * A module that says this in its doc comment computes its answers from its arguments alone.
 */
export const pureMarker = "@module-kind pure"

/**
 * The modules of effect that are data and functions over it. A context key is data; what reads it is
 * an effect.
 */
export const pureEffectModules = `
  Array BigDecimal BigInt Boolean Brand ByteSize Bytes Chunk Combiner Context Cron Data DateTime
  Duration Equal Equivalence Filter Formatter Function Hash HashMap HashSet Inspectable Iterable
  JsonPatch JsonPointer JsonSchema Match MutableHashMap MutableHashSet MutableList Newtype
  NonEmptyIterable Number Optic Option Order Ordering Pipeable Predicate PrimaryKey Record Redactable
  Redacted Reducer RegExp Result Schema SchemaAST SchemaGetter SchemaIssue SchemaParser
  SchemaTransformation SemVer String Struct Symbol Trie Tuple Types UndefinedOr Unify Utils Version
  crypto/Mac encoding/Base64 encoding/Base64Url encoding/Hex net/IpNetwork net/NetAddress
`
  .trim()
  .split(/\s+/)

const impureMentions: ReadonlyArray<RegExp> = [
  /^Date\.now$/,
  /^new Date\(\)$/,
  /^Math\.random$/,
  /^DateTime\.(now|setZoneCurrent|withCurrentZone)/,
  /^(performance|process|console|crypto|fetch|setTimeout|setInterval|setImmediate)$/,
  /^(queueMicrotask|globalThis)$/,
]

export interface Source {
  /** Relative to the package, as in `src/Verification.ts`. */
  readonly file: string
  readonly text: string
}

export interface Subject {
  /** The last part of the folder, as in `core`. */
  readonly name: string
  /** What the package's manifest promises to its users. */
  readonly declared: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Source>
}

export interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

const packageOf = (specifier: string): string => {
  if (isBuiltin(specifier)) return nodeModules
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

const isRelative = (specifier: string): boolean => specifier.startsWith(".")

const targetOf = (file: string, specifier: string): string => join(dirname(file), specifier)

/** What the tests of all packages share: servers and processes. Seen from a package's folder. */
const sharedSupport = "../../test/support/"

const importProblem = (subject: Subject, file: string, specifier: string): string | undefined => {
  const mayImport = allowed.get(subject.name) ?? []
  const folder = `${file.split("/")[0]}/`
  const from = packageOf(specifier)
  if (isRelative(specifier)) {
    const own = folder === "src/" ? ["src/"] : ["src/", folder, sharedSupport]
    return own.some((one) => targetOf(file, specifier).startsWith(one))
      ? undefined
      : `${specifier} leaves ${folder}`
  }
  if (folder !== "src/") {
    const own = [`${scope}${subject.name}`, `${scope}testing`, ...mayImport]
    return from.startsWith(scope) && !own.includes(from)
      ? `a test of ${subject.name} may not import ${from}: tests over several adapters are in test/`
      : undefined
  }
  if (!mayImport.includes(from)) return `${subject.name} may not import ${from}`
  return from === nodeModules || subject.declared.includes(from)
    ? undefined
    : `${from} is missing in the dependencies of ${subject.name}`
}

const pureImportProblem = (
  subject: Subject,
  file: string,
  { specifier, names, typeOnly }: Import,
): string | undefined => {
  if (isRelative(specifier)) {
    const target = subject.sources.find((source) => source.file === targetOf(file, specifier))
    return typeOnly || target?.text.includes(pureMarker) === true
      ? undefined
      : `a pure module may not run ${specifier}, which is not marked as pure`
  }
  if (packageOf(specifier) !== "effect") return undefined
  const modules = specifier === "effect" ? names : [specifier.slice("effect/".length)]
  const impure = modules?.find((module) => !pureEffectModules.includes(module))
  if (modules !== undefined && impure === undefined) return undefined
  return `a pure module may not import ${impure === undefined ? "all of effect" : `effect/${impure}`}`
}

const pureProblems = (subject: Subject, file: string, facts: SourceFacts): Array<Violation> => [
  ...facts.imports.flatMap((one) => {
    const message = pureImportProblem(subject, file, one)
    return message === undefined ? [] : [{ file, line: one.line, message }]
  }),
  ...facts.mentions.flatMap(({ text, line }) =>
    impureMentions.some((pattern) => pattern.test(text))
      ? [{ file, line, message: `a pure module may not use ${text}` }]
      : [],
  ),
]

const sourceViolations = (subject: Subject, { file, text }: Source): Array<Violation> => {
  const facts = factsOf(text)
  const isSource = file.startsWith("src/")
  return [
    ...facts.imports.flatMap(({ specifier, line }) => {
      const message = importProblem(subject, file, specifier)
      return message === undefined ? [] : [{ file, line, message }]
    }),
    ...(isSource ? facts.computedImports : []).map((line) => ({
      file,
      line,
      message: "an import whose target is computed cannot be checked",
    })),
    ...(isSource && text.includes(pureMarker) ? pureProblems(subject, file, facts) : []),
  ]
}

export const violationsOf = (subject: Subject): ReadonlyArray<Violation> =>
  allowed.has(subject.name)
    ? subject.sources.flatMap((source) => sourceViolations(subject, source))
    : [
        {
          file: "package.json",
          line: 1,
          message: `${subject.name} has no row in the table of test/tools/dependencyRule.ts`,
        },
      ]
