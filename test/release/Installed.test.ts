/**
 * The packages, put by npm into projects that know nothing of this repository.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
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
import { packAll, tarballIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { type Finished, run } from "../tools/run.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-projects-"))
const home = ({ name }: Project): string => join(folder, name)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const succeeded = ({ code, stderr, stdout }: Finished): void =>
  assert.strictEqual(code, 0, `${stdout}${stderr}`)

let tarballOf: (name: string) => string

beforeAll(async () => {
  tarballOf = tarballIn(await packAll(inject("tarballsFolder")))
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
  const loaded = await run(process.execPath, ["--eval", 'import("countersign")'], { cwd: project })
  succeeded(loaded)
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
  ["mounts", plain, "hono: BDT\nfastify: BDT\ninbox: +8801712345678, inboxUrl and inbox\n"],
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
      const finished = await start(home(project), program)
      succeeded(finished)
      assert.strictEqual(finished.stdout, output)
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
  const help = await countersign("--help")
  succeeded(help)
  assert.include(help.stdout, "doctor")
  succeeded(await countersign("migrate", "--data-dir", "data"))
  const examined = await countersign("doctor", "--data-dir", "data")
  succeeded(examined)
  assert.include(examined.stdout, "Problems: 0.")
})

test("an error names the packed source file that throws it", async () => {
  const finished = await start(home(plain), "stack", ["--enable-source-maps"])
  succeeded(finished)
  assert.match(
    finished.stdout,
    /ConfigurationError[^]*\/countersign\/src\/internal\/options\/\w+\.ts:\d+/,
  )
})
