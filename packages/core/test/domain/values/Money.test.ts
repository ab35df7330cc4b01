import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Money from "../../../src/domain/values/Money.ts"

/** Every amount that `fromDecimal` can be given. */
const units = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })

const written: ReadonlyArray<readonly [text: string, units: number]> = [
  ["0", 0],
  ["-0", 0],
  ["-0.0000", 0],
  ["12", 120_000],
  ["+12", 120_000],
  ["0.5", 5_000],
  ["0.50", 5_000],
  ["0.0001", 1],
  ["-3.0001", -30_001],
  ["007", 70_000],
  ["99999999999.9999", 999_999_999_999_999],
]

const refused = [
  "",
  ".5",
  "5.",
  "1,5",
  "১২",
  "١",
  "0.00001",
  "100000000000",
  "1 ",
  "Infinity",
  "1\n",
]

const shown: ReadonlyArray<readonly [units: number, text: string]> = [
  [0, "0.00"],
  [1, "0.0001"],
  [10, "0.001"],
  [100, "0.01"],
  [110, "0.011"],
  [5_000, "0.50"],
  [10_000, "1.00"],
  [12_345, "1.2345"],
  [-5_000, "-0.50"],
  [-1, "-0.0001"],
  [Number.MAX_SAFE_INTEGER, "900719925474.0991"],
]

describe("Money", () => {
  it.each(written)("parses %j as %i units", (text, expected) => {
    assert.strictEqual(Result.getOrThrow(Money.fromDecimal(text)), Money.fromUnits(expected))
    assert.isFalse(Object.is(Money.make(text), -0), "no negative zero")
  })

  it.each(refused)("refuses %j with a message, and throws in a literal", (text) => {
    assert.isTrue(Result.isFailure(Money.fromDecimal(text)))
    assert.throws(() => Money.make(text), RangeError)
  })

  it.each(shown)("formats %i units as %j", (value, text) => {
    assert.strictEqual(Money.format(Money.fromUnits(value)), text)
  })

  it("formats a sum that is larger than an amount", () => {
    assert.strictEqual(Money.format(-(10n ** 20n + 1n)), "-10000000000000000.0001")
  })

  it.each([0.5, 2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY])(
    "%d is not an amount of units",
    (value) => assert.throws(() => Money.fromUnits(value), RangeError),
  )

  it("parses what it has formatted, for every amount", () => {
    fc.assert(
      fc.property(units, (value) => {
        assert.strictEqual(Money.make(Money.format(Money.fromUnits(value))), value)
      }),
    )
  })

  it("becomes the JSON number with the same digits", () => {
    assert.strictEqual(JSON.stringify(Money.toNumber(Money.make("0.5"))), "0.5")
    fc.assert(
      fc.property(units, (value) => {
        const text = JSON.stringify(Money.toNumber(Money.fromUnits(value)))
        assert.strictEqual(Math.round(Number(text) * Money.unitsPerWhole), value)
      }),
    )
  })
})
