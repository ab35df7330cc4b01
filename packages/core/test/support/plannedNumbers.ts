import { assert } from "@effect/vitest"
import metadata from "libphonenumber-js/max/metadata"
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max"
import examples from "libphonenumber-js/examples.mobile.json" with { type: "json" }
import { countryOfValid } from "../../src/domain/values/internal/numberPlans.ts"

/** Whole numbers below a maximum, always the same ones. */
const sequence = (seed: number) => {
  let state = seed
  return (max: number): number => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % max
  }
}

const seeds = getCountries().map((country) => ({
  code: String(getCountryCallingCode(country)),
  example: String(getExampleNumber(country, examples)?.nationalNumber ?? "12345678"),
}))

const codes = [
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
]

/** A number near the plan of a country: an example with other digits, a longer or a shorter one, or any digits. */
const numberNear = (index: number, below: (max: number) => number): string => {
  const { code, example } = seeds[index % seeds.length] ?? { code: "1", example: "2015550123" }
  const digits = [...example]
  const way = below(10)
  const changed = way < 3 ? digits.length : way < 8 ? 1 + below(4) : 0
  for (let i = 0; i < changed; i++) {
    const at = way < 5 ? digits.length - 1 - i : below(digits.length)
    digits[Math.max(0, at)] = String(below(10))
  }
  if (below(12) === 0) digits.push(String(below(10)))
  if (below(12) === 0) digits.unshift(String(below(10)))
  if (below(12) === 0) digits.pop()
  return `+${way === 9 ? codes[below(codes.length)] : code}${digits.join("")}`
}

/** Compares `count` numbers of all countries with the library. */
export const compareWithLibrary = (count: number): void => {
  const below = sequence(20_260_101)
  const decided = new Set<string>()
  let valid = 0
  let known = 0
  for (let index = 0; index < count; index++) {
    const number = numberNear(index, below)
    if (!/^\+[1-9]\d{6,14}$/.test(number)) continue
    const parsed = parsePhoneNumberFromString(number)
    const isValid =
      parsed !== undefined && parsed.isPossible() && parsed.isValid() && parsed.number === number
    const country = countryOfValid(number)
    if (isValid) valid += 1
    if (country === undefined) continue
    known += 1
    decided.add(country)
    if (!isValid || parsed.country !== country) {
      assert.fail(`${number}: ${country}, but the library says ${parsed?.country} ${isValid}`)
    }
  }
  // The library decides on plans such as Argentina's, where it may remove digits.
  assert.isAbove(known, valid * 0.97)
  assert.isAbove(decided.size, getCountries().length - 10)
}
