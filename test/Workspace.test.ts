/**
 * The workspace is put together as its documents say.
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Schema from "effect/Schema"
import { assert, describe, inject, onTestFinished, test } from "vitest"
import { isStale, readBarrel } from "./tools/barrels.ts"
import { readInboxFiles } from "./tools/inboxFiles.ts"
import { pnpm, root } from "./tools/paths.ts"
import { run } from "./tools/run.ts"
import { publicPackages, readPackage } from "./tools/workspace.ts"

const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** Of both workspaces. */
const manifests = globSync(
  ["package.json", "test/{,bench/,release/}package.json", "{packages,examples}/*/package.json"],
  { cwd: root },
).toSorted()

describe("vitest.workspace.ts", () => {
  test("is in force", () => {
    assert.isDefined(inject("postgresUrl"), "run vitest with --config vitest.workspace.ts")
  })

  test("runs the tests of every folder, but for those of the release", async () => {
    const files = globSync("**/*.test.ts", {
      cwd: root,
      exclude: ["**/node_modules/**", "**/.*/**", "**/release/**", "**/*.soak.test.ts"],
    })
    const { code, stdout } = await run("vitest", [
      "list",
      "--filesOnly",
      "--config=vitest.workspace.ts",
    ])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(stdout.trim().split("\n").toSorted(), files.toSorted())
  })
})

describe("documents", () => {
  const tracked = globSync("{packages,examples,test}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  })
  const documents = [
    "ARCHITECTURE.md",
    ...globSync("docs/{explanation/defects,internals/*}.md", { cwd: root }),
  ]

  test.each(documents)("%s names files that exist", (document) => {
    const named = [...read(document).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.tsx?)`/g)]
    const missing = named.flatMap(([, path = ""]) =>
      tracked.some((file) => `/${file}`.endsWith(`/${path}`)) ? [] : [path],
    )
    assert.deepStrictEqual(missing, [])
  })
})

/** Takes the place of npx: prints its arguments, and fails if the last one is `$FAILING`. */
const npxDouble = `#!/bin/sh
echo "npx $*"
for last; do :; done
if [ "$last" = "$FAILING" ]; then echo "1 passed, 1 failed"; exit 1; fi
echo "2 passed, 0 failed"
`

describe("the command of the continuous integration", () => {
  const tests = `npx -y ${pnpm} test`
  const both = [tests, "2 passed, 0 failed", `${tests}:release`, "2 passed, 0 failed"]
  const checks = `npx -y ${pnpm} verify --static`
  const failedTests = [tests, "1 passed, 1 failed"]
  test.each([
    ["no command", [checks, "2 passed, 0 failed", ...both], 0],
    ["--static", [checks, "1 passed, 1 failed", ...both], 1],
    ["test", [checks, "2 passed, 0 failed", ...failedTests, ...both.slice(2), ...failedTests], 1],
    ["test:release", [checks, "2 passed, 0 failed", ...both.slice(0, 3), "1 passed, 1 failed"], 1],
  ] as const)(
    "runs the static checks, the tests and the release checks, and hides no result, when %s fails",
    async (failing, printed, expected) => {
      const folder = mkdtempSync(join(tmpdir(), "countersign-ci-"))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      writeFileSync(join(folder, "npx"), npxDouble, { mode: 0o755 })
      const { code, stdout } = await run(join(root, ".ci/run"), [], {
        env: { FAILING: failing, PATH: `${folder}:${process.env["PATH"]}`, TMPDIR: folder },
      })
      assert.deepStrictEqual(stdout.trim().split("\n"), [...printed])
      assert.strictEqual(code, expected)
      assert.deepStrictEqual(readdirSync(folder), ["npx"])
    },
  )

  test("runs the package manager that the documents name", () => {
    const named = globSync(["*.md", "docs/**/*.md", "{packages,examples}/*/README.md"], {
      cwd: root,
    })
      .flatMap((file) => [...read(file).matchAll(/npx -y (pnpm@[\w.]+)/g)])
      .map(([, version]) => version)
    assert.deepStrictEqual([...new Set(named)], named.length === 0 ? [] : [pnpm])
  })
})

const lockfiles = ["pnpm-lock.yaml", "test/release/pnpm-lock.yaml"]

/** The versions of a workspace's catalog by name. */
const catalogOf = (lockfile: string): ReadonlyMap<string, string> => {
  const settings = read(join(dirname(lockfile), "pnpm-workspace.yaml"))
  const [catalog = ""] = settings.split("\ncatalog:\n").slice(1)[0]?.split("\n\n") ?? []
  const rows = catalog.matchAll(/^ {2}"?([^":]+)"?: (\S+)$/gm)
  return new Map([...rows].map(([, name = "", version = ""]) => [name, version]))
}

describe("versions", () => {
  test.each(manifests)("of %s come from the catalog", (file) => {
    const { manifest } = readPackage(dirname(join(root, file)))
    const ranges = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
    })
    const own = ranges.filter(([name, range]) =>
      /^(@countersign\/|countersign$)/.test(name)
        ? range !== "workspace:^"
        : !range.startsWith("catalog:"),
    )
    assert.deepStrictEqual(own, [])
  })

  test("exist once where two copies would not recognize each other", () => {
    const once = ["effect", "vitest", "@effect/vitest", "@effect/sql-pg", "fast-check"]
    // The command line of Prisma, a program of its own, has these for itself.
    const ofPrisma = ["effect@3.20.0", "fast-check@3.23.2"]
    const copies = lockfiles.flatMap((file) => {
      const [, snapshots = ""] = read(file).split("\nsnapshots:\n")
      return [...snapshots.matchAll(/^ {2}'?((@?[^@\s]+)@[^\s]+):/gm)].flatMap(
        ([, copy = "", name = ""]) => (ofPrisma.includes(copy) ? [] : [name]),
      )
    })
    assert.deepStrictEqual(copies.filter((name) => once.includes(name)).toSorted(), once.toSorted())
  })

  test.each(lockfiles)("are locked in %s without the address of a registry", (file) => {
    assert.notMatch(read(file), /https?:\/\/|tarball:/)
  })

  test("are the same in both workspaces, but for the compiler that generators use", () => {
    const [first = new Map<string, string>(), second = []] = lockfiles.map(catalogOf)
    const others = [...second].filter(([name, version]) => (first.get(name) ?? version) !== version)
    assert.deepStrictEqual(others, [["typescript", "5.9.3"]])
  })

  test("move together for all public packages", () => {
    const Config = Schema.Struct({ fixed: Schema.Array(Schema.Array(Schema.String)) })
    const parse = Schema.decodeSync(Schema.fromJsonString(Config))
    const names = publicPackages().map(({ manifest }) => manifest.name)
    assert.deepStrictEqual(parse(read(".changeset/config.json")).fixed, [names])
  })
})

test.each(publicPackages().map(({ folder, path }) => [folder, path] as const))(
  "the barrel of %s lists its concepts",
  (_folder, path) => {
    assert.isFalse(isStale(readBarrel(path)), "run pnpm codegen")
  },
)

test("the inbox serves the files of its page as they are", () => {
  assert.isFalse(isStale(readInboxFiles()), "run pnpm codegen")
})

test("every package is type-checked", () => {
  const Config = Schema.Struct({ references: Schema.Array(Schema.Struct({ path: Schema.String })) })
  const { references } = Schema.decodeSync(Schema.fromJsonString(Config))(read("tsconfig.json"))
  const Scripts = Schema.Struct({ scripts: Schema.Struct({ types: Schema.String }) })
  const parse = Schema.decodeSync(Schema.fromJsonString(Scripts))
  const { types } = parse(read("test/release/package.json")).scripts
  const [, projects = ""] = types.split(" -b . ")
  assert.sameMembers(
    // The project of the release checks includes the measurements.
    ["test/bench", ...projects.split(" "), ...references.map(({ path }) => path)],
    manifests.map(dirname).filter((folder) => folder !== "."),
  )
})

// An example is copied on its own, so it has its own copy of what it shares with others.
test("the examples have the same engine.ts", () => {
  const copies = ["fastify", "hono"].map((example) => read(`examples/${example}/src/engine.ts`))
  assert.lengthOf(new Set(copies), 1)
})
