import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { reportWords, vendorWords } from "../../src/internal/vendorWords.ts"

const to = Samples.phoneNumber(45_678)
const code = "739184"
const text = `${code} is your verification code for the quokka park.`
const key = "a key for the tests"
const sensitive = { phoneNumber: to, text: Redacted.make(text), code: Redacted.make(code) }

const said = (words: string): string => vendorWords(words, sensitive, [Redacted.make(key)])

const cases: ReadonlyArray<readonly [string, string]> = [
  ["Number is not valid", "Number is not valid"],
  ["+8801712345678 is not valid", "+8801*****678 is not valid"],
  ["8801712345678 is not valid", "+8801*****678 is not valid"],
  ["01712345678 is not valid", "+8801*****678 is not valid"],
  ["+880 1712-345678 is not valid", "+8801*****678 is not valid"],
  ["to=%2B8801712345678", "to=%2B+8801*****678"],
  ["8809600000000 is no sender", "8809600000000 is no sender"],
  ["error 21211", "error 21211"],
  [`"${text}" has a link`, '"[text]" has a link'],
  [`"${text.slice(0, 30)}…" has a link`, '"[text]…" has a link'],
  [`"…${text.slice(-25)}" has a link`, '"…[text]" has a link'],
  ["is your code right?", "is your code right?"],
  [`code ${code}`, "code [code]"],
  [`key ${key}`, "key [secret]"],
  ["two\nlines", "two lines"],
]

describe("A vendor's words", () => {
  it.each(cases)("%s become %s", (words, expected) => {
    assert.strictEqual(said(words), expected)
  })

  it("never contain the text, the code, the number or a key", () => {
    const secrets = [text, code, to, to.slice(1), `0${to.slice(4)}`, key]
    const words = fc
      .array(
        fc.oneof(fc.constantFrom(...secrets), fc.string({ unit: "grapheme", maxLength: 12 })),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(" "))
    fc.assert(
      fc.property(words, (one) => {
        const found = secrets.filter((secret) => said(one).includes(secret))
        assert.deepStrictEqual(found, [])
        assert.isAtMost(said(one).length, 300)
      }),
    )
  })

  it("about a report omit its number", () => {
    const words = "8801712345678 is off"
    assert.strictEqual(reportWords(words, "whatsapp:+8801712345678"), "+8801*****678 is off")
    assert.strictEqual(reportWords(words, PhoneNumber.digits(to)), "+8801*****678 is off")
    assert.strictEqual(reportWords("off", undefined), "off")
  })
})
