import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, test } from "vitest"
import { root } from "./paths.ts"
import { run } from "./run.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-lint-"))

beforeAll(() => {
  const config = readFileSync(join(root, ".oxlintrc.json"), "utf8")
  writeFileSync(join(folder, ".oxlintrc.json"), config)
  mkdirSync(join(folder, "test/tools"), { recursive: true })
  cpSync(join(root, "test/tools/oxlintPlugin.ts"), join(folder, "test/tools/oxlintPlugin.ts"))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rulesBrokenBy = async (file: string, text: string): Promise<ReadonlyArray<string>> => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), `${text}\n`)
  const { stdout } = await run("oxlint", ["-f", "unix", file], { cwd: folder })
  rmSync(join(folder, file))
  return [...stdout.matchAll(/\[Error(?:\/([^\]]+))?\]/g)].map(([, rule = ""]) => rule)
}

const source = "packages/core/src/Planted.ts"
const tests = "packages/core/test/Planted.test.ts"

test.each([
  [source, "export const a = Date.now()", "eslint(no-restricted-properties)"],
  [source, "export const a = globalThis.Date.now()", "eslint(no-restricted-properties)"],
  [source, "export const { now } = Date", "eslint(no-restricted-properties)"],
  [source, "export const a = Math.random()", "eslint(no-restricted-properties)"],
  [source, "export const a = performance.now()", "eslint(no-restricted-properties)"],
  [source, "export const a = new Date()", "countersign(no-machine-time)"],
  [source, "export const a = Date()", "countersign(no-machine-time)"],
  [source, "setTimeout(Boolean, 5)", "eslint(no-restricted-globals)"],
  [source, "console.log(1)", "eslint(no-console)"],
  [source, "export const a: any = 1", "typescript(no-explicit-any)"],
  [
    source,
    "export const a = (b: ReadonlyArray<number>) => b[0]!",
    "typescript(no-non-null-assertion)",
  ],
  [source, "// @ts-ignore\nexport const a = 1", "typescript(ban-ts-comment)"],
  [source, "export const a = {} as Map<string, string>", "typescript(consistent-type-assertions)"],
  [source, "const a = 1", "eslint(no-unused-vars)"],
  [source, 'import { b } from "./B.ts"', "eslint(no-unused-vars)"],
  [source, 'export * from "./B"', "import(extensions)"],
  [
    source,
    'import { B } from "./B.ts"\nexport const a: B = 1',
    "typescript(consistent-type-imports)",
  ],
  [tests, 'test.skip("a", () => {})', "countersign(no-withheld-tests)"],
  [tests, 'test.only("a", () => {})', "countersign(no-withheld-tests)"],
  [tests, 'it.todo("a")', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.skip("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.only("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.skipIf(true)("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'describe.skip("a", () => {})', "countersign(no-withheld-tests)"],
])("%s may not say: %j", async (file, text, rule) => {
  assert.deepStrictEqual(await rulesBrokenBy(file, text), [rule])
})

test.each([
  [source, "export const a = new Date(5)"],
  [source, "export const a = [1, 2] as const"],
  [source, 'export class A { readonly _tag = "A" }'],
  [source, "// @ts-expect-error the type of this is what we test\nexport const a: string = 1"],
  ["test/tools/Planted.ts", "console.log(Date.now(), new Date())"],
  [tests, 'test("a", () => {})'],
])("%s may say: %j", async (file, text) => {
  assert.deepStrictEqual(await rulesBrokenBy(file, text), [])
})

test("a file may have 400 lines", async () => {
  const lines = Array.from({ length: 400 }, (_, index) => `export const a${index} = ${index}`)
  assert.deepStrictEqual(await rulesBrokenBy(source, lines.join("\n")), [])
  const more = [...lines, "export const b = 1"]
  assert.deepStrictEqual(await rulesBrokenBy(source, more.join("\n")), ["eslint(max-lines)"])
})

const disable = "// oxlint-disable-next-line typescript/no-explicit-any"

test("a rule may be switched off for a reason", async () => {
  const line = "export const a: any = 1"
  assert.deepStrictEqual(
    await rulesBrokenBy(source, `${disable} -- the library says so\n${line}`),
    [],
  )
  assert.deepStrictEqual(await rulesBrokenBy(source, `${disable}\n${line}`), [
    "countersign(explained-disable)",
  ])
})

test("a rule that is switched off for nothing is reported", async () => {
  const text = `${disable} -- there was a reason once\nexport const a = 1`
  assert.isNotEmpty(await rulesBrokenBy(source, text))
})
