import { assert, test } from "vitest"
import { fill, timeIn, words } from "../src/words.ts"

/** The places in a text that are filled, of each text in a tree of texts. */
const places = (texts: object): ReadonlyArray<string> =>
  Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
    typeof text === "object" && text !== null
      ? places(text)
      : [`${name} ${(String(text).match(/\{\w+\}/g) ?? []).toSorted().join()}`],
  )

test("the texts of both languages have the same places to fill", () => {
  assert.deepStrictEqual(places(words.bn), places(words.en))
})

test("a place is filled with a value, whose letters are no HTML", () => {
  const { text } = fill("{name}, wait {time} & read {name}.", { name: "<b>", time: "1 hour" })
  assert.strictEqual(text, "&lt;b&gt;, wait 1 hour &amp; read &lt;b&gt;.")
})

test.each([
  [1, "1 second", "১ সেকেন্ড"],
  [119, "119 seconds", "১১৯ সেকেন্ড"],
  [120, "2 minutes", "২ মিনিট"],
  [121, "3 minutes", "৩ মিনিট"],
  [7_199, "120 minutes", "১২০ মিনিট"],
  [7_200, "2 hours", "২ ঘণ্টা"],
  [86_400, "24 hours", "২৪ ঘণ্টা"],
])("%i seconds are %s, in Bangla %s", (seconds, english, bangla) => {
  assert.deepStrictEqual([timeIn("en", seconds), timeIn("bn", seconds)], [english, bangla])
})
