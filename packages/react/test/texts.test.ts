import { assert, test } from "vitest"
import { bangla, english, problemText, sentText, withTime } from "../src/internal/texts.ts"

const placeholdersOf = (texts: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(texts).map(([name, text]: [string, unknown]) => [
    name,
    typeof text === "string"
      ? (text.match(/\{\w+\}/g) ?? []).toSorted()
      : placeholdersOf(Object(text)),
  ])

test("both languages have the same placeholders, and no text is empty", () => {
  assert.deepStrictEqual(placeholdersOf(bangla), placeholdersOf(english))
  for (const texts of [english, bangla]) assert.notMatch(JSON.stringify(texts), /:""/)
})

test("times and counts have the digits of the language", () => {
  assert.deepStrictEqual(
    [7, 299, 3600, 86_399].map((seconds) => withTime("{time}", seconds, english)),
    ["0:07", "4:59", "1:00:00", "23:59:59"],
  )
  assert.strictEqual(withTime("{time}", 299, bangla), "৪:৫৯")
  const problem = { code: "wrong_code", message: "", attemptsRemaining: 2 }
  assert.strictEqual(problemText(problem, english), "Wrong code. Attempts left: 2.")
  assert.strictEqual(problemText(problem, bangla), "কোডটি ভুল। আর ২ বার চেষ্টা করা যাবে।")
})

test("a problem says when to try again, and an unknown one has a text", () => {
  const limited = { code: "rate_limited", message: "", retryAfterSeconds: 90 }
  assert.strictEqual(problemText(limited, english), "Too many requests. Try again in 1:30.")
  for (const code of ["unavailable", "constructor", "toString"])
    assert.strictEqual(problemText({ code, message: "" }, english), english.otherProblem)
})

test("a phone number stays as it is", () => {
  const request = { phoneNumber: "+8801712345678", channel: "whatsapp" } as const
  assert.strictEqual(sentText(request, english), "We sent a code to +8801712345678 by WhatsApp.")
})
