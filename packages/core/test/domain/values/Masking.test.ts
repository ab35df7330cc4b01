import * as Arbitraries from "@countersign/testing/Arbitraries"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Masking from "../../../src/domain/values/Masking.ts"

const rows: ReadonlyArray<readonly [what: string, said: string, kept: string]> = [
  ["nothing", "", ""],
  ["a status", "delivered", "delivered"],
  ["a number with its plus", "+8801712345678", "+8801*****678"],
  ["a number with 880", "8801712345678", "8801*****678"],
  ["a number with 00", "008801712345678", "0088*****678"],
  ["a number with 01", "01712345678", "017*****678"],
  ["a number in groups", "to +880 1712-345678.", "to +8801*****678."],
  ["a number in brackets", "(880) 1712 345 678", "(8801*****678"],
  ["a number in Bangla digits", "০১৭১২৩৪৫৬৭৮", "০১৭*****৬৭৮"],
  ["a short number", "1234567", "*****67"],
  [
    "a number in an address",
    "https://x.example/to/8801712345678",
    "https://x.example/to/8801*****678",
  ],
  ["codes of errors", "error 30008, 131026", "error 30008, 131026"],
  ["a code in hexadecimal", "NACK/0x0000000b/Invalid", "NACK/0x0000000b/Invalid"],
  ["what we call a message", "ref=acme.8.070059e966e2", "ref=acme.8.070059e966e2"],
  ["a number that looks like it", "8801712345678.8.070059e966e2", "8801*****059e966e2"],
  ["an id", "SMaf-1c3b", "SMaf-1c3b"],
  ["a UUID", "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab", "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab"],
  ["a time", "2026-11-21T17:57:37.123Z", "2026-11-21T17:57:37.123Z"],
  ["a time and a number", "2026-11-21 17:57:37 01712345678", "2026-11-21 17:57:37 017*****678"],
  ["a scheme anywhere", "said Bearer abc.def", "said Bearer ***"],
  ["a signed token", "got eyJhbGciOi.eyJzdWIi.SflKxw ok", "got *** ok"],
  ["credentials in an address", "ftp://me:pw@x.example/", "ftp://***@x.example/"],
  ["what no terminal should print", "a\u0000\u001b[31mb", "a [31mb"],
  ["a number in UTF-16", "\u00008\u00008\u00000\u00001\u00007\u00001\u00002\u00003", "*****123"],
  ["a number grouped by commas", "to 880,1712,345,678", "to 8801*****678"],
  ["a number grouped by _", "to=8801_712_345_678", "to=8801*****678"],
  ["what begins like a signed token", "eyJ-eyJ-a", "eyJ-eyJ-a"],
]

/** What may stand between the digits of a number. */
const separators = fc.constantFrom("", "-", " ", ".", "/", ") (", "\u00a0", "\u2011")

/** A number in a spelling that vendors use. */
const spelled = fc
  .tuple(
    Arbitraries.bangladeshiNumber,
    fc.constantFrom("+880", "%2B880", "00880", "880", "0"),
    fc.array(separators, { minLength: 9, maxLength: 9 }),
  )
  .map(([number, prefix, between]) => ({
    national: number.slice(4),
    text: prefix + Array.from(number.slice(4), (digit, at) => digit + (between[at] ?? "")).join(""),
  }))

/** The digits that are left, as if nothing stood between them. */
const digitsIn = (text: string): string => text.replace(/[^\d*]/g, "")

describe("Masking.words", () => {
  it.each(rows)("keeps the permitted part of %s", (_, said, kept) => {
    assert.strictEqual(Masking.words(said), kept)
  })

  it("masks numbers in every spelling", () => {
    fc.assert(
      fc.property(spelled, ({ national, text }) => {
        assert.notInclude(digitsIn(Masking.words(decodeURIComponent(text))), national)
      }),
      { numRuns: 2_000 },
    )
  })

  it("removes characters that a row cannot hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), (said) => {
        assert.notMatch(Masking.words(said), /[^\P{Cc}\n]/u)
      }),
    )
  })

  it("reads a bounded part of an endless text", () => {
    for (const text of ["1 ", "a=", "eyJ.", "eyJ-", "eyJa.", "://a", "Bearer "]) {
      assert.isAtMost(Masking.words(text.repeat(1_000_000)).length, 20_000)
    }
  })
})
