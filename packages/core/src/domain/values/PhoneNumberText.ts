/** Phone numbers as text, without a type of Effect and without a module of Node, so that pages can use it. */
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max"
import { countryOfValid } from "./internal/numberPlans.ts"

/** E.164 with its plus. */
export const shape = /^\+[1-9]\d{6,14}$/

const banglaDigits = /[\u09E6-\u09EF]/g

/** Converts Bangla digits to ASCII digits and keeps all other characters. */
export const normalizeDigits = (text: string): string =>
  text.replace(banglaDigits, (digit) => String(digit.charCodeAt(0) - 0x09e6))

/** Whether a number in E.164 form is valid in the numbering plan of its country. */
export const isInPlan = (text: string): boolean => {
  if (countryOfValid(text) !== undefined) return true
  const parsed = parsePhoneNumberFromString(text)
  return parsed !== undefined && parsed.isPossible() && parsed.isValid() && parsed.number === text
}

/** Why text is no phone number: the codes of the problems of a field. */
export type Problem = "too_long" | "not_phone_number" | "no_country_code" | "not_in_numbering_plan"

export const maxLenientInput = 64

/** Characters between and around the digits that users type, and invisible ones of pasted numbers. */
const separators = /[\p{White_Space}\p{Dash}\p{Default_Ignorable_Code_Point}()./]/gu

/** Reads a number as users type or paste it; see `PhoneNumber.parseLenient`. Returns it in E.164, or its problem. */
export const readLenient = (
  input: string,
  { country }: { readonly country?: string | undefined },
): `+${string}` | Problem => {
  if (country !== undefined && !isSupportedCountry(country)) throw unknownCountry(country)
  if (input.length > maxLenientInput) return "too_long"
  const text = normalizeDigits(input.replace(separators, "")).replace(/^00/, "+")
  if (!/^\+?\d+$/.test(text)) return "not_phone_number"
  if (country === undefined && !text.startsWith("+")) return "no_country_code"
  const number = inCountry(text, country)?.number
  return number !== undefined && shape.test(number) && isInPlan(number)
    ? `+${number.slice(1)}`
    : "not_in_numbering_plan"
}

/**
 * In some plans, `62812343413` is a mobile number with the country code and a landline without it. Users
 * write the mobile number without its plus, and the landline cannot receive a code.
 */
const inCountry = (text: string, country: CountryCode | undefined) => {
  const options = { extract: false } as const
  if (country === undefined || text.startsWith("+"))
    return parsePhoneNumberFromString(text, options)
  const withCode = parsePhoneNumberFromString(`+${text}`, options)
  return withCode?.country === country && withCode.getType() === "MOBILE"
    ? withCode
    : parsePhoneNumberFromString(text, { ...options, defaultCountry: country })
}

export const unknownCountry = (country: unknown) => {
  const upper = String(country).toUpperCase()
  const hint = isSupportedCountry(upper) ? `: write "${upper}"` : ""
  return new RangeError(`${String(country)} is no country with a numbering plan${hint}`)
}
