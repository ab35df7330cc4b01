/** Phone numbers in E.164 form. */
import * as Brand from "effect/Brand"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max"
import * as FieldProblem from "./FieldProblem.ts"
import { countryOfCode, countryOfValid, mainCountryOfCode } from "./internal/numberPlans.ts"
import * as Text from "./PhoneNumberText.ts"

export { normalizeDigits } from "./PhoneNumberText.ts"

/** A number in E.164 form with its leading plus: `+8801712345678`. */
export type PhoneNumber = Brand.Branded<string, "@countersign/core/domain/values/PhoneNumber">

const brand = Brand.nominal<PhoneNumber>()

const erasedPrefix = "erased:"
const erasedShape = /^erased:(?:[A-Z]{2})?$/

/** Accepts text that this engine has written. Throws a `TypeError` for anything but an E.164 or an erased number. */
export const fromE164 = (text: string): PhoneNumber => {
  if (!Text.shape.test(text) && !erasedShape.test(text))
    throw new TypeError("Not an E.164 phone number")
  return brand(text)
}

/** Whether the number was erased. Such a number shows its country only: `erased:BD`. */
export const isErased = (self: PhoneNumber): boolean => self.startsWith(erasedPrefix)

/** Erases a number. Its country stays, because totals still need it. */
export const erase = (self: PhoneNumber): PhoneNumber =>
  isErased(self) ? self : brand(`${erasedPrefix}${countryOf(self) ?? ""}`)

/** The digits without the plus. An erased number stays as it is. */
export const digits = (self: PhoneNumber): string => (isErased(self) ? self : self.slice(1))

/** A masked number for logs: `+8801*****678`. Hides at least four digits. */
export const mask = (self: PhoneNumber): string => {
  if (isErased(self)) return self
  if (self.length <= 8) return `${self.slice(0, 2)}*****`
  return self.length <= 11
    ? `${self.slice(0, 3)}*****${self.slice(-2)}`
    : `${self.slice(0, 5)}*****${self.slice(-3)}`
}

/** Whether a number must begin with a plus. */
export type Plus = FieldProblem.Params["not_e164"]["plus"]

export type ParseResult = Result.Result<PhoneNumber, FieldProblem.FieldProblem>

/** Parses a number and checks it against the numbering plan of its country. Bangla digits are read as ASCII. */
export const parse = (input: string, plus: Plus): ParseResult => {
  const parsed = parseE164(input, plus)
  if (Result.isFailure(parsed)) return parsed
  return Text.isInPlan(parsed.success) ? parsed : Result.fail(notInPlan)
}

/** Parses a number in any plan or in none. For numbers that may have been stored under another number policy. */
export const parseE164 = (input: string, plus: Plus): ParseResult => {
  if (input.length > 32) return Result.fail(FieldProblem.make("too_long", { max: 32 }))
  const text = Text.normalizeDigits(input)
  const withPlus = plus === "optional" && !text.startsWith("+") ? `+${text}` : text
  return Text.shape.test(withPlus)
    ? Result.succeed(brand(withPlus))
    : Result.fail(FieldProblem.make("not_e164", { plus }))
}

const notInPlan = FieldProblem.make("not_in_numbering_plan", {})

/**
 * Parses a number as users type or paste it: `01712-345678` with the country `BD`, `+880 (1712) 345678`,
 * `00880 1712 345678`.
 *
 * Ignores white space, hyphens, dashes, dots, slashes, parentheses and invisible characters, and reads Bangla
 * digits as ASCII. A leading `00` means `+`. Without `+` and `00`, the number belongs to `country` (ISO 3166
 * alpha-2, such as `"BD"`), in its national form or with the country code. Without a `country`, it fails. All
 * other characters fail. Then checks as `parse` does. Throws a `RangeError` for a `country` without a
 * numbering plan.
 */
export const parseLenient = (
  input: string,
  options: { readonly country?: string | undefined } = {},
): ParseResult => {
  const read = Text.readLenient(input, options)
  switch (read) {
    case "too_long":
      return Result.fail(FieldProblem.make(read, { max: Text.maxLenientInput }))
    case "not_phone_number":
    case "no_country_code":
      return Result.fail(FieldProblem.make(read, {}))
    case "not_in_numbering_plan":
      return Result.fail(notInPlan)
    default:
      return Result.succeed(brand(read))
  }
}

/** Decides which numbers are accepted. A host replaces it to accept test ranges or to reject countries. */
export interface NumberPolicy {
  /** The number, or its problem: `number_not_accepted` with a sentence for the host's own rules. */
  readonly parse: (input: string, plus: Plus) => ParseResult
  /** The countries that it accepts, ISO 3166 alpha-2. `undefined`: any. */
  readonly countries?: ReadonlyArray<string> | undefined
}

const everywhere: NumberPolicy = { parse }

/** The number policy in force. Default: the numbering plans of all countries. */
export const NumberPolicy = Context.Reference<NumberPolicy>("@countersign/core/NumberPolicy", {
  defaultValue: () => everywhere,
})

/** The country whose plan the number belongs to, ISO 3166 alpha-2; `undefined` for ranges such as `+800`. */
export const countryOf = (self: PhoneNumber): string | undefined =>
  isErased(self)
    ? self.slice(erasedPrefix.length) || undefined
    : (countryOfCode(self) ?? countryOfValid(self) ?? parsePhoneNumberFromString(self)?.country)

/** As `countryOf`; if the plan does not tell the country, the main one of the calling code. */
export const mainCountryOf = (self: PhoneNumber): string | undefined =>
  countryOf(self) ?? mainCountryOfCode(self)

/**
 * Accepts a number if `policy` accepts it and it belongs to one of the countries (ISO 3166 alpha-2, such as
 * `"BD"`). The number distinguishes countries that share a code: `+1 416` belongs to Canada. A number that
 * fits the plans of several countries belongs to the main country of the code. Throws a `RangeError` for an
 * empty list and for a country without a numbering plan of its own.
 */
export const onlyCountries = (
  countries: ReadonlyArray<string>,
  policy: NumberPolicy = everywhere,
): NumberPolicy => {
  const served = new Set<string | undefined>(countries)
  if (served.size === 0) throw new RangeError("Name at least one country")
  const unknown = countries.find((country) => !isSupportedCountry(country))
  if (unknown !== undefined) throw Text.unknownCountry(unknown)
  return {
    countries,
    parse: (input, plus) =>
      Result.flatMap(policy.parse(input, plus), (number) =>
        served.has(countryOf(number)) ? Result.succeed(number) : Result.fail(notServed),
      ),
  }
}

const notServed = FieldProblem.make("country_not_served", {})
