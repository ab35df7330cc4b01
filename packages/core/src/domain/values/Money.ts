/** Exact amounts of the account's currency, stored as integer units, so that no calculation rounds. */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as FieldProblem from "./FieldProblem.ts"

/**
 * An amount in units, always a safe integer. 10,000 units are one BDT, or one of the currency of the host's
 * accounts. The largest amount is about 900 billion BDT.
 */
export type Money = Brand.Branded<number, "@countersign/core/domain/values/Money">

const brand = Brand.nominal<Money>()

/** Number of units in one whole of the currency. */
export const unitsPerWhole = 10_000

const fractionDigits = 4

const notDecimal = FieldProblem.make("not_decimal", { wholeDigits: 11, fractionDigits })

export const zero: Money = brand(0)

/** An amount from its units. Throws a `RangeError` if `units` is not a safe integer. */
export const fromUnits = (units: number): Money => {
  if (!Number.isSafeInteger(units)) {
    throw new RangeError(`Money must be a safe integer of units, got ${units}`)
  }
  return brand(units === 0 ? 0 : units)
}

const decimalPattern = /^([+-]?)(\d{1,11})(?:\.(\d{1,4}))?$/

/** Parses `"12"`, `"0.5"` or `"-3.0001"`. Fails for text in other formats. */
export const fromDecimal = (
  text: string,
): Result.Result<Money, FieldProblem.FieldProblem<"not_decimal">> => {
  const match = decimalPattern.exec(text)
  if (match === null) return Result.fail(notDecimal)
  const [, sign, whole = "0", fraction = ""] = match
  const units = Number(whole) * unitsPerWhole + Number(fraction.padEnd(fractionDigits, "0"))
  return Result.succeed(fromUnits(sign === "-" ? -units : units))
}

/** `fromDecimal` for amounts in source code. Throws a `RangeError` if the text is not an amount. */
export const make = (text: string): Money =>
  Result.getOrThrowWith(fromDecimal(text), ({ message }) => new RangeError(`Money ${message}`))

/** The nearest JSON number; `5000` units are `0.5`. Only for the edge of the system. */
export const toNumber = (self: Money): number => self / unitsPerWhole

/**
 * A decimal with two places, or more if the amount needs them: `"0.50"`, `"0.0001"`. A `bigint` is a sum of amounts in
 * units, which may be larger than an amount.
 */
export const format = (self: Money | bigint): string => {
  const sign = self < 0 ? "-" : ""
  const digits = String(self)
    .slice(sign.length)
    .padStart(fractionDigits + 1, "0")
  const fraction = digits.slice(-fractionDigits)
  const shown = fraction.endsWith("00") ? fraction.slice(0, 2) : fraction.replace(/0$/, "")
  return `${sign}${digits.slice(0, -fractionDigits)}.${shown}`
}
