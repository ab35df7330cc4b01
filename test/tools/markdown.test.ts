import { assert, test } from "vitest"
import { blocksOf } from "./markdown.ts"

const text = (...lines: ReadonlyArray<string>): string => lines.join("\n")

test("a block has its language, its code, its line and the comment above it", () => {
  const markdown = text("# Title", "", "<!-- output -->", "", "```text", "a", "", "b", "```", "end")
  assert.deepStrictEqual(blocksOf(markdown), {
    blocks: [{ language: "text", code: "a\n\nb", line: 5, comment: "output" }],
    unreadable: [],
  })
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
  ["inline code", "Use `a` and ``b`` here", []],
])("reads %s", (_title, markdown, expected) => {
  const { blocks, unreadable } = blocksOf(markdown)
  assert.deepStrictEqual(unreadable, [])
  assert.deepStrictEqual(
    blocks.map(({ language, code }) => [language, code]),
    expected,
  )
})

test("text between a comment and a block parts them", () => {
  const markdown = text("<!-- output -->", "Some text", "```text", "a", "```")
  assert.isUndefined(blocksOf(markdown).blocks[0]?.comment)
})

test.each([
  ["in a quote", text("> ```ts", "> a", "> ```"), [1, 3]],
  ["that is never closed", text("a", "```ts", "b"), [2]],
  ["closed by a shorter one", text("````ts", "```"), [1]],
])("a fence %s is reported", (_title, markdown, lines) => {
  assert.deepStrictEqual(blocksOf(markdown), { blocks: [], unreadable: lines })
})
