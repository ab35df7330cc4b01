import { assert, test } from "vitest"
import { docParagraphs, problemsOf } from "./sentences.ts"

const long = `${"word ".repeat(25)}word.`

test.each([
  ["A node sends the message.", 0],
  [long, 1],
  [`A short one. ${long} Another one.`, 1],
  [`Codes: ${"21211, ".repeat(30)}21212.`, 0],
  ["The country is that of the number.", 1],
  ["The times are those of the nodes.", 1],
  ["This server is one for tests.", 1],
  ["There are two rows, one for each channel.", 0],
  ["What is open stays open.", 1],
  ["What is open?", 0],
  ["Who has both can read the codes.", 1],
  ["It is refused, and the log says so.", 1],
  ["The engine knows the country.", 1],
  ["A caller that knows the key succeeds.", 0],
  ["The other node sends it as well.", 1],
  ["It sends it as well as the code.", 0],
  ["The slowest hundredth takes 100 ms.", 1],
])("%s has %i problems", (text, expected) => {
  assert.strictEqual(problemsOf(text).length, expected)
})

test("the paragraphs of doc comments come without stars, tags and code", () => {
  const source = `/** Its \`name\`. @defaultValue none */
const a = "/* no comment */"
/**
 * First, see {@link a}
 * and b.
 *
 * Second.
 */
`
  assert.deepStrictEqual(
    docParagraphs(source).map(({ index, text }) => [index, text.trim()]),
    [
      [0, "Its Code."],
      [0, "none"],
      [67, "First, see Code\nand b."],
      [67, "Second."],
    ],
  )
})
