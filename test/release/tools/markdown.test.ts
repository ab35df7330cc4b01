import { assert, test } from "vitest"
import { blocksOf } from "./markdown.ts"

const text = (...lines: ReadonlyArray<string>): string => lines.join("\n")

test("a block has its language, its code, its line and the comment above it", () => {
  const markdown = text("# Title", "", "<!-- output -->", "", "```text", "a", "", "b", "```", "end")
  assert.deepStrictEqual(blocksOf(markdown), [
    { language: "text", code: "a\n\nb", line: 5, comment: "output", isClosed: true },
  ])
})

test.each([
  ["no language", text("```", "a", "```"), [["", "a"]]],
  ["more behind the language", text("```ts title=x", "a", "```"), [["ts", "a"]]],
  ["tildes", text("~~~sh", "a", "~~~"), [["sh", "a"]]],
  ["a fence within a longer fence", text("````ts", "```", "a", "````"), [["ts", "```\na"]]],
  ["another kind of fence within", text("```ts", "~~~", "a", "```"), [["ts", "~~~\na"]]],
  [
    "an indented block",
    text("- item", "  ```ts", "  a", "    b", "", "  ```"),
    [["ts", "a\n  b\n"]],
  ],
  ["an empty block", text("```json", "```"), [["json", ""]]],
  [
    "two blocks",
    text("```ts", "a", "```", "```sh", "b", "```"),
    [
      ["ts", "a"],
      ["sh", "b"],
    ],
  ],
  ["a quote", text("> ```ts", "> a", "> ```"), [["ts", "a"]]],
  ["inline code", "Use `a` and ``b`` here", []],
])("reads %s", (_title, markdown, expected) => {
  const blocks = blocksOf(markdown)
  assert.isTrue(blocks.every(({ isClosed }) => isClosed))
  assert.deepStrictEqual(
    blocks.map(({ language, code }) => [language, code]),
    expected,
  )
})

test("text between a comment and a block parts them", () => {
  const markdown = text("<!-- output -->", "Some text", "```text", "a", "```")
  assert.isUndefined(blocksOf(markdown)[0]?.comment)
})

test.each([
  ["that is never closed", text("a", "```ts", "b"), 2],
  ["closed by a shorter one", text("````ts", "```"), 1],
  ["without a line after it", text("```"), 1],
])("a fence %s is reported", (_title, markdown, line) => {
  const [block] = blocksOf(markdown)
  assert.deepInclude(block, { isClosed: false, line })
})
