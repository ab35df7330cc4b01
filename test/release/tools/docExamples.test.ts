import { assert, describe, test } from "vitest"
import { type Example, examplesOf, hasTest, matchesOutput, needsService } from "./docExamples.ts"

const block = (language: string, code: string, comment?: string): string =>
  `${comment === undefined ? "" : `<!-- ${comment} -->\n`}\`\`\`${language}\n${code}\n\`\`\`\n`

const kinds = (...blocks: ReadonlyArray<string>): ReadonlyArray<Example["kind"]> =>
  examplesOf(blocks.join("\nSome text.\n\n")).map(({ kind }) => kind)

describe("a block's kind is recognized", () => {
  test.each<readonly [string, string, Example["kind"]]>([
    ["ts", block("ts", "a"), "program"],
    ["sh", block("sh", "curl http://127.0.0.1:3000/"), "shell"],
    ["json", block("json", "{}"), "data"],
    ["a diagram", block("text", "a -> b", "diagram"), "diagram"],
    ["a file of a project", block("ts", "a", "file: src/main.ts"), "file"],
    ["a component", block("tsx", "a", "file: src/page.tsx"), "file"],
    ["an example", block("ts", "a", "from: examples/features/a.ts"), "feature"],
    ["sql with a test", block("sql", "select 1", "covered by: it works"), "covered"],
    [
      "a start with a test",
      block("sh", "npx -y pnpm@12.21.0 start", "covered by: it starts"),
      "covered",
    ],
    ["an install with a test", block("sh", "npm install x\nnpx x", "covered by: a"), "covered"],
    ["a clone with a test", block("sh", "# get it\ngit clone x\ncd x", "covered by: a"), "covered"],
  ])("%s", (_title, markdown, kind) => {
    assert.deepStrictEqual(kinds(markdown), [kind])
  })
})

describe("an unknown kind is a problem", () => {
  test.each([
    ["no language", block("", "a")],
    ["another language", block("console", "$ a")],
    ["text", block("text", "a")],
    ["a component that is no file", block("tsx", "a")],
    ["an output of nothing", block("text", "a", "output")],
    ["sql without a test", block("sql", "select 1")],
    ["a start without a test", block("sh", "npx -y pnpm@12.21.0 start")],
    ["a clone without a test", block("sh", "cd /tmp && git clone x")],
    ["an install without a test", block("sh", "npm install x")],
    ["a request hidden behind a test", block("sh", "curl http://127.0.0.1:3000/", "covered by: a")],
    ["another comment", block("sql", "select 1", "skip")],
    ["a block that is not closed", "```ts\na"],
  ])("%s", (_title, markdown) => {
    assert.deepStrictEqual(kinds(markdown), ["problem"])
  })
})

test("an output belongs to the block above it", () => {
  const markdown = [block("ts", "a"), block("text", "1", "output"), block("sh", "b")].join("\n")
  assert.deepStrictEqual(
    examplesOf(markdown).map((one) => ("output" in one ? [one.kind, one.output] : [one.kind])),
    [["program", "1"], ["output"], ["shell", undefined]],
  )
})

test("a program that serves has a comment that says so", () => {
  const serves = (comment: string) =>
    examplesOf(block("ts", "a", comment)).map((one) => one.kind === "program" && one.serves)
  assert.deepStrictEqual([...serves("serves"), ...serves("something else")], [true, false])
})

test("a covered block names its test", () => {
  const [example] = examplesOf(block("sh", "git clone x", "covered by: the project starts"))
  assert.deepStrictEqual(example, { kind: "covered", line: 2, by: "the project starts" })
})

test.each([
  ["sh", "echo", true],
  ["sh", "countersign migrate", false],
  ["sh", "countersign migrate --data-dir data", true],
  ["sh", 'countersign migrate\ncurl "$BASE/balance"', true],
  ["ts", 'await fetch("http://127.0.0.1:3000/")', true],
  ["ts", 'const key = process.env["COUNTERSIGN_KEY"]', true],
  ["ts", "const a = 1", false],
  ["json", '{"url":"http://127.0.0.1:3000/"}', false],
])("a %s block saying %j needs the service: %s", (language, code, expected) => {
  assert.deepStrictEqual(examplesOf(block(language, code)).map(needsService), [expected])
})

test.each([
  ["a", "a\n", true],
  ["a\nb", "a  \nb\n\n", true],
  ["a", "b", false],
  ["a", "a\nb", false],
  ['{"id":"…"}', '{"id":"123"}', true],
  ["a\n…\nz", "a\nb\nc\nz", true],
  ["(a.b)", "(axb)", false],
])("output %j matches %j: %s", (shown, actual, expected) => {
  assert.strictEqual(matchesOutput(shown, actual), expected)
})

test.each([
  ['test("it starts", () => {})', true],
  ['it.effect("it starts", () => Effect.void)', true],
  ['engine.live("it starts", function* () {})', true],
  ['describe("it starts", () => {})', true],
  ['test(\n  "it starts",\n  { timeout: 5 }, () => {})', true],
  ['test("it starts twice", () => {})', false],
  ['// covered by: "it starts"', false],
  ['const name = "it starts"', false],
])("%j holds the test: %s", (source, expected) => {
  assert.strictEqual(hasTest("it starts", ["test('a')", source]), expected)
})
