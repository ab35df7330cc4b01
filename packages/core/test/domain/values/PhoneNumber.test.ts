import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import examples from "libphonenumber-js/examples.mobile.json" with { type: "json" }
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/max"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import * as PhoneNumber from "../../../src/domain/values/PhoneNumber.ts"

interface Row {
  readonly input: string
  readonly plus: PhoneNumber.Plus
  /** The number, or a part of the sentence about the problem. */
  readonly comes: `+${string}` | "E.164" | "numbering plan" | "at most 32"
}

const table: ReadonlyArray<Row> = [
  // Bangladesh: the first and the last operator's range, and the most common one.
  { input: "+8801312345678", plus: "required", comes: "+8801312345678" },
  { input: "+8801712345678", plus: "required", comes: "+8801712345678" },
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
  // In the plan of Belarus as it is, and again without the 8 that is dialled within the country.
  { input: "+3758108319719", plus: "required", comes: "numbering plan" },
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
  { input: "01712-345678", plus: "optional", comes: "E.164" },
  { input: "880 1712 345678", plus: "optional", comes: "E.164" },
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
    else assert.include(Result.getOrThrow(Result.flip(parsed)).message, comes)
  })

  it.each([
    ["required", "must be in E.164 format with a leading plus, such as +8801712345678"],
    ["optional", "must be in E.164 format, such as 8801712345678"],
  ] as const)("shows how to write a number if its plus is %s: %s", (plus, sentence) => {
    const problem = FieldProblem.make("not_e164", { plus })
    assert.strictEqual(problem.message, sentence)
    assert.deepStrictEqual(PhoneNumber.parse("not a number", plus), Result.fail(problem))
  })

  it("returns an E.164 number or a problem for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const parsed = PhoneNumber.parse(text, "optional")
        if (Result.isSuccess(parsed)) assert.match(parsed.success, /^\+[1-9]\d{6,14}$/)
      }),
    )
  })

  it("parses ASCII and Bangla digits alike", () => {
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

/** The input, the country, and the number or a part of the sentence about the problem. */
const typed: ReadonlyArray<readonly [input: string, country: string | undefined, comes: string]> = [
  // National form.
  ["01712-345678", "BD", "+8801712345678"],
  ["1712345678", "BD", "+8801712345678"],
  ["০১৭১২-৩৪৫৬৭৮", "BD", "+8801712345678"],
  ["01712.345.678", "BD", "+8801712345678"],
  ["01712/345678", "BD", "+8801712345678"],
  ["(01712) 345678", "BD", "+8801712345678"],
  ["01712\u2013345678", "BD", "+8801712345678"],
  ["\u00a001712\u202f345678\n", "BD", "+8801712345678"],
  ["8 (916) 123-45-67", "RU", "+79161234567"],
  ["0916 123 45 67", "RU", "numbering plan"],
  // The plan decides, not the shape.
  ["01212-345678", "BD", "numbering plan"],
  ["0171234567", "BD", "numbering plan"],
  ["017123456789", "BD", "numbering plan"],
  ["1", "BD", "numbering plan"],
  ["01712345678 / 01812345678", "BD", "numbering plan"],
  // International form.
  ["+880 1712-345678", undefined, "+8801712345678"],
  ["+880 1712-345678", "US", "+8801712345678"],
  ["+880 (0) 1712-345678", undefined, "+8801712345678"],
  ["(+880) 1712 345678", undefined, "+8801712345678"],
  ["+ ৮৮০ ১৭১২ ৩৪৫৬৭৮", undefined, "+8801712345678"],
  ["00880 1712-345678", undefined, "+8801712345678"],
  ["০০৮৮০১৭১২৩৪৫৬৭৮", "BD", "+8801712345678"],
  ["880 1712-345678", "BD", "+8801712345678"],
  ["\u202a+880 1712-345678\u202c", undefined, "+8801712345678"],
  ["\u200e+880\u200b1712\u2060345678\ufeff", undefined, "+8801712345678"],
  ["62 812-343-413", "ID", "+62812343413"],
  ["062 812-343-413", "ID", "+6262812343413"],
  // Without a country, the number has to name one.
  ["01712-345678", undefined, "country code"],
  ["880 1712-345678", undefined, "country code"],
  ["880 1712-345678", "US", "numbering plan"],
  ["000880 1712345678", undefined, "numbering plan"],
  ["+", "BD", "phone number"],
  ["+01712345678", "BD", "numbering plan"],
  // No extension, no letter, nothing that is no number.
  ["01712-345678 ext. 5", "BD", "phone number"],
  ["01712-345678#5", "BD", "phone number"],
  ["+8801712345678;ext=5", "BD", "phone number"],
  ["tel:+8801712345678", "BD", "phone number"],
  ["O1712-345678", "BD", "phone number"],
  ["1-800-FLOWERS", "US", "phone number"],
  ["++8801712345678", "BD", "phone number"],
  ["٠١٧١٢٣٤٥٦٧٨", "BD", "phone number"],
  ["", "BD", "phone number"],
  ["\u0000", "BD", "phone number"],
  [`01712345678${" ".repeat(53)}`, "BD", "+8801712345678"],
  [`01712345678${" ".repeat(54)}`, "BD", "at most 64"],
]

const typedText = (number: PhoneNumber.ParseResult): string =>
  Result.getOrElse(number, ({ message }): string => message)

/** Valid numbers of every country: its example with other last digits, where that is one too. */
const ofAnyCountry = fc
  .record({
    country: fc.constantFrom(...getCountries()),
    last: fc.stringMatching(/^[0-9]{4}$/),
  })
  .map(({ country, last }) => {
    const example = getExampleNumber(country, examples)?.number ?? ""
    const other = parsePhoneNumberFromString(example.slice(0, -4) + last)
    return other?.isValid() === true ? other : parsePhoneNumberFromString(example)
  })
  .filter((number) => number !== undefined)

describe("PhoneNumber.parseLenient", () => {
  it.each(typed)("reads %j in %s: %s", (input, country, comes) => {
    const parsed = typedText(PhoneNumber.parseLenient(input, { country }))
    if (comes.startsWith("+")) assert.strictEqual(parsed, comes)
    else assert.include(parsed, comes)
  })

  it("parses every valid number in its international and national forms", () => {
    fc.assert(
      fc.property(ofAnyCountry, (number) => {
        const { country } = number
        assert.strictEqual(
          typedText(PhoneNumber.parseLenient(number.formatInternational())),
          number.number,
        )
        assert.strictEqual(
          typedText(PhoneNumber.parseLenient(`00${number.formatInternational().slice(1)}`)),
          number.number,
        )
        assert.strictEqual(
          typedText(PhoneNumber.parseLenient(number.formatNational(), { country })),
          number.number,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it("accepts every number that the strict parser accepts, unchanged", () => {
    fc.assert(
      fc.property(e164, fc.constantFrom(undefined, "BD", "US"), (number, country) => {
        const strict = PhoneNumber.parse(number, "required")
        if (Result.isSuccess(strict)) {
          assert.deepStrictEqual(PhoneNumber.parseLenient(number, { country }), strict)
        }
      }),
    )
  })

  it("returns a number that the strict parser accepts, or a problem, for every text", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.stringMatching(/^[0-9+ ()./-]{5,20}$/),
    )
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, "BD", "US"), (input, country) => {
        const parsed = PhoneNumber.parseLenient(input, { country })
        if (Result.isSuccess(parsed)) {
          assert.deepStrictEqual(PhoneNumber.parse(parsed.success, "required"), parsed)
        }
      }),
    )
  })

  it.each(["XX", "bd", "Bangladesh", "toString", ""])(
    "does not accept %j as a country, for any text",
    (country) => {
      for (const input of ["+8801712345678", "x"]) {
        assert.throws(() => PhoneNumber.parseLenient(input, { country }), RangeError)
      }
    },
  )
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

  it("keeps the country of a number that is erased, and nothing else", () => {
    fc.assert(
      fc.property(e164, (number) => {
        const erased = PhoneNumber.erase(number)
        assert.match(erased, /^erased:(?:[A-Z]{2})?$/)
        assert.isTrue(PhoneNumber.isErased(erased))
        assert.isFalse(PhoneNumber.isErased(number))
        assert.strictEqual(PhoneNumber.countryOf(erased), PhoneNumber.countryOf(number))
        for (const same of [PhoneNumber.erase, PhoneNumber.mask, PhoneNumber.digits]) {
          assert.strictEqual(same(erased), erased)
        }
        assert.strictEqual(PhoneNumber.fromE164(erased), erased)
      }),
    )
    assert.strictEqual(PhoneNumber.erase(PhoneNumber.fromE164("+80012345678")), "erased:")
  })

  it.each([
    "8801712345678",
    "erased",
    "erased:bd",
    "erased:BDX",
    "+0712345678",
    "+1",
    "+8801712345678 ",
    "+88০1712345678",
  ])("rejects %j as a stored number", (text) =>
    assert.throws(() => PhoneNumber.fromE164(text), TypeError),
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
    onFailure: ({ message }): string => message,
    onSuccess: (number): string => number,
  })

describe("PhoneNumber.onlyCountries", () => {
  it.each(served)("of %j, asked for %s: %s", (countries, number, isServed) => {
    assert.strictEqual(
      parsedBy(PhoneNumber.onlyCountries(countries), number),
      isServed ? number : "numbers of this country are not served",
    )
  })

  it("accepts a subset of the numbers of the policy that it restricts", () => {
    const policy = PhoneNumber.onlyCountries(["BD"], {
      parse: (input) =>
        input === "+8801012345678" || input === "+447400123456"
          ? Result.succeed(PhoneNumber.fromE164(input))
          : Result.fail(FieldProblem.make("number_not_accepted", { reason: "only test numbers" })),
    })
    assert.strictEqual(parsedBy(policy, "+8801012345678"), "+8801012345678")
    assert.match(parsedBy(policy, "+447400123456"), /not served/)
    assert.strictEqual(parsedBy(policy, "+8801712345678"), "only test numbers")
  })

  it.each([[[]], [["BD", "XX"]], [["bd"]], [["Bangladesh"]], [["toString"]]])(
    "rejects %j as countries",
    (countries) => {
      assert.throws(() => PhoneNumber.onlyCountries(countries), RangeError)
    },
  )
})
