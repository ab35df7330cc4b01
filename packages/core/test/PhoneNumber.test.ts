import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as PhoneNumber from "../src/PhoneNumber.ts"

interface Row {
  readonly input: string
  readonly plus: PhoneNumber.Plus
  /** The number, or a part of the sentence that says what is wrong. */
  readonly comes: `+${string}` | "E.164" | "numbering plan" | "at most 32"
}

const table: ReadonlyArray<Row> = [
  // Bangladesh: every operator's range.
  { input: "+8801312345678", plus: "required", comes: "+8801312345678" },
  { input: "+8801412345678", plus: "required", comes: "+8801412345678" },
  { input: "+8801512345678", plus: "required", comes: "+8801512345678" },
  { input: "+8801612345678", plus: "required", comes: "+8801612345678" },
  { input: "+8801712345678", plus: "required", comes: "+8801712345678" },
  { input: "+8801812345678", plus: "required", comes: "+8801812345678" },
  { input: "+8801912345678", plus: "required", comes: "+8801912345678" },
  // Ranges that no operator has.
  { input: "+8801012345678", plus: "required", comes: "numbering plan" },
  { input: "+8801212345678", plus: "required", comes: "numbering plan" },
  // One digit less, one more, and the national zero left in.
  { input: "+880171234567", plus: "required", comes: "numbering plan" },
  { input: "+88017123456789", plus: "required", comes: "numbering plan" },
  { input: "+88001712345678", plus: "required", comes: "numbering plan" },
  // Elsewhere.
  { input: "+447911123456", plus: "required", comes: "+447911123456" },
  { input: "+12025550123", plus: "required", comes: "+12025550123" },
  { input: "+919876543210", plus: "required", comes: "+919876543210" },
  { input: "+9710501234567", plus: "required", comes: "numbering plan" },
  { input: "+15555555555", plus: "required", comes: "numbering plan" },
  { input: "+999123456789", plus: "required", comes: "numbering plan" },
  // The plus.
  { input: "8801712345678", plus: "required", comes: "E.164" },
  { input: "8801712345678", plus: "optional", comes: "+8801712345678" },
  { input: "+8801712345678", plus: "optional", comes: "+8801712345678" },
  { input: "++8801712345678", plus: "optional", comes: "E.164" },
  { input: "008801712345678", plus: "optional", comes: "E.164" },
  { input: "01712345678", plus: "optional", comes: "E.164" },
  { input: "＋8801712345678", plus: "optional", comes: "E.164" },
  // Bangla digits, alone and mixed; no other script's.
  { input: "+৮৮০১৭১২৩৪৫৬৭৮", plus: "required", comes: "+8801712345678" },
  { input: "৮৮০১৭১২৩৪৫৬৭৮", plus: "optional", comes: "+8801712345678" },
  { input: "+৮৮০1712345৬৭৮", plus: "required", comes: "+8801712345678" },
  { input: "+٨٨٠١٧١٢٣٤٥٦٧٨", plus: "required", comes: "E.164" },
  { input: "+८८०१७१२३४५६७८", plus: "required", comes: "E.164" },
  // Nothing is read into a number.
  { input: "", plus: "optional", comes: "E.164" },
  { input: "+", plus: "optional", comes: "E.164" },
  { input: " +8801712345678", plus: "required", comes: "E.164" },
  { input: "+8801712345678 ", plus: "required", comes: "E.164" },
  { input: "+8801712345678\n", plus: "required", comes: "E.164" },
  { input: "+880 1712-345678", plus: "required", comes: "E.164" },
  { input: "+8801712345678;ext=5", plus: "required", comes: "E.164" },
  { input: "+8801712345678\u0000", plus: "required", comes: "E.164" },
  { input: "+88017l2345678", plus: "required", comes: "E.164" },
  { input: `+${"1".repeat(31)}`, plus: "required", comes: "E.164" },
  { input: `+${"1".repeat(32)}`, plus: "required", comes: "at most 32" },
]

const e164 = fc
  .stringMatching(/^[1-9][0-9]{6,14}$/)
  .map((digits) => PhoneNumber.fromE164(`+${digits}`))

describe("PhoneNumber.parse", () => {
  it.each(table)("$input with the plus $plus → $comes", ({ comes, input, plus }) => {
    const parsed = PhoneNumber.parse(input, plus)
    if (comes.startsWith("+"))
      assert.deepStrictEqual(parsed, Result.succeed(PhoneNumber.fromE164(comes)))
    else assert.include(Result.getOrThrow(Result.flip(parsed)), comes)
  })

  it.each([
    ["required", "must be in E.164 format with a leading plus, such as +8801712345678"],
    ["optional", "must be in E.164 format, such as 8801712345678"],
  ] as const)("says how a number is written whose plus is %s: %s", (plus, sentence) => {
    assert.deepStrictEqual(PhoneNumber.parse("nobody", plus), Result.fail(sentence))
  })

  it("answers for every text, and only ever with an E.164 number", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const parsed = PhoneNumber.parse(text, "optional")
        if (Result.isSuccess(parsed)) assert.match(parsed.success, /^\+[1-9]\d{6,14}$/)
      }),
    )
  })

  it("says the same of a number in ASCII and in Bangla digits", () => {
    const bangla = (text: string) =>
      text.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))
    fc.assert(
      fc.property(e164, (number) => {
        assert.deepStrictEqual(
          PhoneNumber.parse(bangla(number), "required"),
          PhoneNumber.parse(number, "required"),
        )
      }),
    )
  })
})

describe("PhoneNumber", () => {
  it("masks the middle of a number", () => {
    assert.strictEqual(PhoneNumber.mask(PhoneNumber.fromE164("+8801712345678")), "+8801*****678")
  })

  it("hides at least four digits of every number", () => {
    fc.assert(
      fc.property(e164, (number) => {
        const shown = PhoneNumber.mask(number).replace(/\D/g, "").length
        const all = PhoneNumber.digits(number).length
        assert.isAtLeast(all - shown, 4, PhoneNumber.mask(number))
        assert.notInclude(PhoneNumber.mask(number), PhoneNumber.digits(number))
      }),
    )
  })

  it("gives the digits without the plus", () => {
    assert.strictEqual(PhoneNumber.digits(PhoneNumber.fromE164("+8801712345678")), "8801712345678")
  })

  it.each(["8801712345678", "+0712345678", "+1", "+8801712345678 ", "+88০1712345678"])(
    "does not take %j for a stored number",
    (text) => assert.throws(() => PhoneNumber.fromE164(text), TypeError),
  )
})

const served: ReadonlyArray<
  readonly [countries: ReadonlyArray<string>, number: string, isServed: boolean]
> = [
  [["BD", "IN"], "+8801712345678", true],
  [["BD", "IN"], "+919876543210", true],
  [["BD", "IN"], "+447911123456", false],
  // Codes that countries share.
  [["US"], "+12025550123", true],
  [["US"], "+14165550123", false],
  [["CA"], "+14165550123", true],
  [["US"], "+18765550123", false],
  [["JM"], "+18765550123", true],
  [["RU"], "+79161234567", true],
  [["RU"], "+77011234567", false],
  [["KZ"], "+77011234567", true],
  [["GB"], "+447400123456", true],
  [["GB"], "+447781123456", false],
  [["GG"], "+447781123456", true],
  [["IT"], "+393123456789", true],
  [["VA"], "+393123456789", false],
  // Of no country.
  [["BD", "US"], "+80012345678", false],
]

const parsedBy = (policy: PhoneNumber.NumberPolicy, input: string) =>
  Result.match(policy.parse(input, "optional"), {
    onFailure: (why): string => why,
    onSuccess: (number): string => number,
  })

describe("PhoneNumber.onlyCountries", () => {
  it.each(served)("of %j, asked for %s: %s", (countries, number, isServed) => {
    assert.strictEqual(
      parsedBy(PhoneNumber.onlyCountries(countries), number),
      isServed ? number : "numbers of this country are not served",
    )
  })

  it("says what is wrong with what is no number at all", () => {
    const policy = PhoneNumber.onlyCountries(["BD"])
    assert.match(parsedBy(policy, "+8801012345678"), /numbering plan/)
    assert.match(parsedBy(policy, "0171"), /E\.164/)
  })

  it("takes from another policy what that accepts, and no more", () => {
    const policy = PhoneNumber.onlyCountries(["BD"], {
      parse: (input) =>
        input === "+8801012345678" || input === "+447400123456"
          ? Result.succeed(PhoneNumber.fromE164(input))
          : Result.fail("only test numbers"),
    })
    assert.strictEqual(parsedBy(policy, "+8801012345678"), "+8801012345678")
    assert.match(parsedBy(policy, "+447400123456"), /not served/)
    assert.strictEqual(parsedBy(policy, "+8801712345678"), "only test numbers")
  })

  it.each([[[]], [["BD", "XX"]], [["bd"]], [["Bangladesh"]], [["toString"]]])(
    "does not take %j for countries",
    (countries) => {
      assert.throws(() => PhoneNumber.onlyCountries(countries), RangeError)
    },
  )
})
