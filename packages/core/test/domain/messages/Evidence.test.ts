import * as Arbitraries from "@countersign/testing/Arbitraries"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Evidence from "../../../src/domain/messages/Evidence.ts"

const kept: ReadonlyArray<readonly [what: string, value: unknown]> = [
  ["a status", "delivered"],
  ["a status with a prefix", "sms:delivered"],
  ["an error code", 131_026],
  ["an error code as text", "30005"],
  ["a price", "-0.00750"],
  ["a flag", true],
  ["a UUID", "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab"],
  ["an id of Twilio", "SM00000000000000000000000000000001"],
  ["an id of Meta", "wamid.HBgNODgwMTcxMjM0NTY3OBUCABEYEjk="],
  ["a time", "2026-11-21T17:57:37.123Z"],
  ["a time without a zone", "2026-11-21T17:57"],
]

const dropped: ReadonlyArray<readonly [what: string, value: unknown]> = [
  ["nothing", ""],
  ["null", null],
  ["an object", { code: 1 }],
  ["a list", ["delivered"]],
  ["a text", "Your parcel is here"],
  ["a text with a code", "Your code is 482913"],
  ["a code beside a word", "otp=482913"],
  ["a code in a word", "G-482913"],
  ["a phone number", "+8801712345678"],
  ["a phone number as a number", 8_801_712_345_678],
  ["a phone number in groups", "to:880-171-234-567"],
  [
    "a phone number in Bangla digits",
    "\u09e6\u09e7\u09ed\u09e7\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee",
  ],
  ["seven digits", "1234567"],
  ["a signed token", "eyJhbGciOi.eyJzdWIi.SflKxw"],
  ["a word without an end", "a".repeat(121)],
  ["a second line", "delivered\nnow"],
]

const stored = (evidence: Evidence.Evidence): unknown =>
  JSON.parse(Evidence.text(evidence) ?? "null")

describe("Evidence.text", () => {
  it.each(kept)("keeps %s", (_, value) => {
    assert.deepStrictEqual(stored({ "errors[0].code": value }), { "errors[0].code": String(value) })
  })

  it.each(dropped)("drops %s", (_, value) => {
    assert.isNull(Evidence.text({ field: value }))
    assert.deepStrictEqual(stored({ status: "sent", field: value }), { status: "sent" })
  })

  it("drops a field name that could contain the vendor's data, and fields beyond the limit", () => {
    assert.isNull(Evidence.text({ "8801712345678": "sent", "": "sent" }))
    assert.isNull(Evidence.text({ "to[8801712345678]": "sent", "code 4829": "sent" }))
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, "x"]))
    assert.strictEqual(Object.keys(stored(many) ?? {}).length, Evidence.maxFields)
    assert.isNull(Evidence.text(undefined))
  })

  it("never contains a phone number or a code among other characters", () => {
    const code = fc.stringMatching(/^\d{4,10}$/)
    const around = fc.tuple(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }))
    fc.assert(
      fc.property(Arbitraries.bangladeshiNumber, code, around, (number, otp, [before, after]) => {
        const phone = Evidence.text({ field: `${before}${number}${after}` }) ?? ""
        assert.notInclude(phone, number.slice(1))
        fc.pre(/[^\d.-]/.test(before + after) && !/\d/.test(before + after))
        assert.notInclude(Evidence.text({ field: `${before}${otp}${after}` }) ?? "", otp)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("Evidence.wordsIn", () => {
  it("are the values that are neither times nor random ids", () => {
    const at = "2026-11-24T05:55:28Z"
    assert.deepStrictEqual(Evidence.wordsIn(JSON.stringify({ at, a: "sent", b: "12" })), [
      "sent",
      "12",
    ])
    assert.deepStrictEqual(Evidence.wordsIn(null), [])
  })
})
