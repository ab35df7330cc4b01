import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, test } from "vitest"
import { root } from "./paths.ts"
import { type Finished, run } from "./run.ts"

const folder = mkdtempSync(join(root, "test/.fixture-"))

const cases = {
  good: `test("a", () => {}); test("b", () => {}); test.skip("c", () => {}); test.todo("d")`,
  failing: `test("a", () => {}); test("b", () => { throw new Error("b") })`,
  hook: `beforeAll(() => { throw new Error("hook") }); test("a", () => {})`,
  broken: `import "./missing.ts"; test("a", () => {})`,
  late: `test("a", async () => { setTimeout(() => { throw new Error("late") }); await new Promise((r) => setTimeout(r, 100)) })`,
  killed: `test("a", () => { process.kill(process.pid, "SIGKILL") })`,
  empty: ``,
} as const

beforeAll(() => {
  for (const [name, body] of Object.entries(cases)) {
    const text = `import { beforeAll, test } from "vitest"; void beforeAll; void test; ${body}`
    writeFileSync(join(folder, `${name}.case.ts`), text)
  }
  const config = { test: { root: folder, include: ["*.case.ts"], pool: "forks", maxWorkers: 1 } }
  writeFileSync(join(folder, "config.ts"), `export default ${JSON.stringify(config)}`)
  writeFileSync(join(folder, "unreadable.ts"), "export default {{{")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const command = (config: string, args: ReadonlyArray<string>): Promise<Finished> => {
  const module = JSON.stringify(join(import.meta.dirname, "testCommand.ts"))
  const input = JSON.stringify({ config: join(folder, config), args })
  const script = `import { main } from ${module}; await main(${input})`
  return run(process.execPath, ["--input-type=module", "-e", script])
}

const lastLine = ({ stdout }: Finished): string | undefined => stdout.trimEnd().split("\n").at(-1)

test.each([
  ["good", "2 passed, 0 failed, 2 skipped", 0],
  ["failing", "1 passed, 1 failed", 1],
  ["hook", "0 passed, 1 failed, 1 skipped", 1],
  ["broken", "0 passed, 1 failed", 1],
  ["late", "1 passed, 1 failed", 1],
  ["killed", "0 passed, 1 failed", 1],
  ["failing, hook, broken and good", "3 passed, 3 failed, 3 skipped", 1],
  ["empty", "0 passed, 1 failed", 1],
])("a file whose tests are %s ends in %j", async (name, line, code) => {
  const finished = await command(
    "config.ts",
    name.split(/, | and /).map((file) => `${file}.case`),
  )
  assert.strictEqual(lastLine(finished), line)
  assert.strictEqual(finished.code, code)
})

test("skipped tests are listed by name", async () => {
  const { stdout } = await command("config.ts", ["--", "good.case"])
  assert.match(stdout, /Skipped:\n.*good\.case\.ts > c\n.*good\.case\.ts > d\n2 passed/)
})

test.each([
  ["a configuration that does not load", "unreadable.ts", []],
  ["an option that vitest does not know", "config.ts", ["--no-such-option=1", "--pool=none"]],
  ["a filter that selects nothing", "config.ts", ["nowhere"]],
])("%s counts as a failure", async (_title, config, args) => {
  const finished = await command(config, args)
  assert.match(lastLine(finished) ?? "", /^0 passed, [01] failed$/)
  assert.strictEqual(finished.code, 1)
})
