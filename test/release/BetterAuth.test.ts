/**
 * `@countersign/better-auth` from its tarball, with each supported version of better-auth: its tests run on the memory
 * adapter, and on PostgreSQL through Drizzle, and a host's declarations build. pnpm installs, because only what a package
 * declares can be imported there, and named in declarations.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { tarballsIn } from "../tools/packing.ts"
import { pnpm, root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"
import { filesIn, readPackage, withOwnDependencies } from "../tools/workspace.ts"

const folder = temporaryFolder("countersign-better-auth-")
const emptyDatabase = temporaryDatabases()

const versions = ["1.6.34", "1.7.25"]
const compilers = ["node_modules", "test/release/node_modules"]

const ofWorkspace = (name: string): string =>
  readPackage(join(root, "test/release/node_modules", name)).manifest.version

let tarballOf: (name: string) => string

beforeAll(async () => {
  tarballOf = await tarballsIn(inject("tarballsFolder"))
})

/** Makes a host's project with the tests of the package, and installs it. */
const install = async (version: string): Promise<string> => {
  const home = join(folder, version)
  cpSync(join(root, "test/release/projects/better-auth"), home, { recursive: true })
  const tests = join(root, "packages/better-auth/test")
  for (const file of filesIn(tests, "**/*.ts")) {
    const text = readFileSync(join(tests, file), "utf8")
      .replaceAll('"../src/index.ts"', '"@countersign/better-auth"')
      .replaceAll('"../src/client.ts"', '"@countersign/better-auth/client"')
    cpSync(join(tests, file), join(home, "test", file))
    writeFileSync(join(home, "test", file), text)
  }
  const own = withOwnDependencies(["@countersign/better-auth", "countersign"])
  const tarballs = own.map((name) => [name, `file:${tarballOf(name)}`] as const)
  const others = ["@types/node", "drizzle-orm", "pg", "vitest"]
  const manifest = {
    private: true,
    type: "module",
    dependencies: {
      ...Object.fromEntries(tarballs),
      ...Object.fromEntries(others.map((name) => [name, ofWorkspace(name)])),
      "better-auth": version,
    },
  }
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest))
  // Our packages depend on each other by their version, which no registry has.
  const overrides = tarballs.map(([name, file]) => `  "${name}": "${file}"`)
  const settings = ["strictDepBuilds: false", "overrides:", ...overrides, ""]
  writeFileSync(join(home, "pnpm-workspace.yaml"), settings.join("\n"))
  const args = ["-y", pnpm, "install", "--prefer-offline", "--no-frozen-lockfile"]
  succeeded(await run("npx", args, { cwd: home, timeoutMillis: 240_000 }))
  return home
}

const vitest = async (home: string, env: Readonly<Record<string, string>> = {}) => {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--dir=test", "--testTimeout=60000"]
  return succeeded(
    await run(process.execPath, args, {
      cwd: home,
      env: { NO_COLOR: "1", ...env },
      timeoutMillis: 240_000,
    }),
  )
}

describe.each(versions)("with better-auth %s", (version) => {
  let home = ""
  beforeAll(async () => {
    home = await install(version)
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test.each(compilers)(
    "a host's declarations build, and say as much as its sources, with the compiler of %s",
    async (modules) => {
      const compiler = join(root, modules, "typescript/bin/tsc")
      for (const project of [".", "consumer"]) {
        const built = await run(process.execPath, [compiler, "-p", project], { cwd: home })
        assert.deepStrictEqual([built.stdout, built.code], ["", 0])
      }
    },
  )

  test("the client loads only its own files", () => {
    const dist = join(home, "node_modules/@countersign/better-auth/dist")
    const importsOf = (file: string): ReadonlyArray<string> =>
      [...readFileSync(join(dist, file), "utf8").matchAll(/ from "([^"]+)"/g)].flatMap(
        ([, path = ""]) => (path.startsWith("./") ? importsOf(join(dirname(file), path)) : [path]),
      )
    assert.deepStrictEqual(importsOf("client.js"), [])
    assert.include(importsOf("index.js"), "countersign")
  })

  test("the tests of the package pass on the memory adapter", async () => {
    assert.match(await vitest(home), /Test Files +5 passed/)
  })

  test("the tests of the package, and those of races, pass on PostgreSQL through Drizzle", async () => {
    cpSync(join(home, "drizzle/database.ts"), join(home, "test/support/database.ts"))
    cpSync(join(home, "drizzle/races.ts"), join(home, "test/races.test.ts"))
    const output = await vitest(home, { DATABASE_URL: await emptyDatabase() })
    assert.match(output, /Test Files +6 passed/)
  })
})
