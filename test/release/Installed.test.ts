/**
 * The packages, put by npm into projects that know nothing of this repository.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, inject, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import {
  compile,
  type Compiler,
  effect,
  install,
  list,
  plain,
  type Project,
  type Resolution,
  start,
  verifier,
} from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { type Finished, run, succeeded } from "../tools/run.ts"

const folder = temporaryFolder("countersign-projects-")
const home = ({ name }: Project): string => join(folder, name)

let tarballOf: (name: string) => string

beforeAll(async () => {
  tarballOf = await tarballsIn(inject("tarballsFolder"))
})

const installInto = (...args: ReadonlyArray<string>): Promise<Finished> =>
  run(process.execPath, [join(root, "test/tools/installInto.ts"), ...args])

test("install:into installs packages and what they need in another project", async () => {
  const project = join(folder, "other")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const tarballs = `--tarballs=${inject("tarballsFolder")}`
  succeeded(await installInto(project, "@countersign/express", "countersign", tarballs))
  assert.includeMembers(readdirSync(join(project, "node_modules/@countersign")), [
    "core",
    "express",
  ])
  succeeded(await run(process.execPath, ["--eval", 'import("countersign")'], { cwd: project }))
})

test("install:into names the mistake if the folder is no project", async () => {
  const { code, stderr } = await installInto(join(folder, "none"))
  assert.strictEqual(code, 1)
  assert.include(stderr, "Name a folder with a package.json")
})

const builds: ReadonlyArray<readonly [Compiler, Resolution]> = [
  ["typescript", "node"],
  ["typescript", "bundler"],
  ["typescript-5", "node"],
]

const programs: ReadonlyArray<readonly [string, Project, string]> = [
  ["backend", plain, "client: verified\nfacade: 2\n"],
  [
    "mounts",
    plain,
    "hono: BDT\nfastify: BDT\ninbox: +8801712345678, inboxUrl and phonePattern and phone and inbox\nlogin: 200, 1\nhook: 200, 123456 is your code.\n",
  ],
  ["engine", effect, "effect: WrongCode verified\n"],
  ["verifier", verifier, "+8801712345678\nbad_signature\n"],
]

describe.each([plain, effect, verifier])("a project $name", { timeout: 180_000 }, (project) => {
  beforeAll(async () => {
    const installed = await install(project, home(project), tarballOf)
    succeeded(installed)
    assert.notMatch(installed.stderr, /ERESOLVE|\bpeer\b/)
  }, 300_000)

  test("has every required peer", async () => {
    succeeded(await list(home(project)))
  })

  test.each(builds)(
    "is accepted by %s with %s resolution, declarations included",
    async (compiler, resolution) => {
      succeeded(await compile(home(project), compiler, resolution))
    },
  )

  test.each(programs.filter(([, owner]) => owner === project))(
    "runs its %s",
    async (program, _, output) => {
      assert.strictEqual(succeeded(await start(home(project), program)), output)
    },
  )
})

test("a service that verifies proofs installs jose and nothing of the engine", () => {
  const modules = join(home(verifier), "node_modules")
  assert.deepStrictEqual(readdirSync(join(modules, "@countersign")), ["proofs"])
  assert.isTrue(existsSync(join(modules, "jose")))
  assert.isFalse(existsSync(join(modules, "effect")))
})

test("the command line runs where it is installed", { timeout: 60_000 }, async () => {
  const cwd = home(effect)
  const countersign = (...args: ReadonlyArray<string>): Promise<Finished> =>
    run(join(cwd, "node_modules/.bin/countersign"), args, { cwd, timeoutMillis: 60_000 })
  assert.include(succeeded(await countersign("--help")), "doctor")
  succeeded(await countersign("migrate", "--data-dir", "data"))
  const examined = succeeded(await countersign("doctor", "--data-dir", "data"))
  assert.include(examined, "Problems: 0.")
})

test("an error names the packed source file that throws it", async () => {
  assert.match(
    succeeded(await start(home(plain), "stack", ["--enable-source-maps"])),
    /ConfigurationError[^]*\/countersign\/src\/internal\/options\/\w+\.ts:\d+/,
  )
})

const bareNumbers = [
  "limits: { sendsPerNumber: { max: 1, per: 60 } }",
  "settleAfter: 300",
  "retention: { messages: 90 }",
  "routing: { retryFor: 10_000 }",
]

test("the compiler refuses a bare number for a duration, and names the type", async () => {
  const source = [
    'import type { CountersignOptions } from "countersign"',
    "export const all: ReadonlyArray<CountersignOptions> = [",
    '  { limits: { sendsPerNumber: { max: 1, per: "60 seconds" } }, settleAfter: "1.5 hours" },',
    ...bareNumbers.map((option) => `  { ${option} },`),
    "]",
  ]
  const cwd = home(plain)
  writeFileSync(join(cwd, "options.ts"), source.join("\n"))
  const compilerOptions = { noEmit: true, rootDir: ".", skipLibCheck: true }
  const config = { extends: "./tsconfig.node.json", compilerOptions, files: ["options.ts"] }
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ ...config, include: [] }))
  const { stdout } = await run("tsc", ["-p", "."], { cwd })
  const lines = [...stdout.matchAll(/^options\.ts\((\d+),/gm)].map(([, line]) => Number(line))
  assert.deepStrictEqual(lines, [4, 5, 6, 7], stdout)
  const types = stdout.matchAll(/Type 'number' is not assignable to type '(\w+) \| undefined'/g)
  const named = [...types].map(([, type]) => type)
  assert.deepStrictEqual(named, ["Duration", "Duration", "Duration", "Duration"], stdout)
})
