import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import * as AlertOverrides from "../../../src/domain/alerts/AlertOverrides.ts"
import { alertTable, names } from "../../../src/domain/alerts/AlertTable.ts"
import * as Money from "../../../src/domain/values/Money.ts"

const mistyped: (value: unknown) => AlertOverrides.PlainAlerts = (value) =>
  JSON.parse(JSON.stringify(value))

describe("the bounds in force", () => {
  it("are the organization's own, else those of the table", () => {
    assert.deepStrictEqual(
      AlertOverrides.apply({}),
      Object.fromEntries(names.map((name) => [name, alertTable[name].default])),
    )
    const own = { delivered: null, spend: Money.make("5") }
    assert.deepInclude(AlertOverrides.apply(own), { ...own, webhooks: alertTable.webhooks.default })
  })

  it("of every default and every limit of a bound can be set", () => {
    for (const name of names) {
      const { bounds, default: usual } = alertTable[name]
      for (const bound of [bounds.min, bounds.max, usual]) {
        assert.deepStrictEqual(AlertOverrides.problems({ [name]: bound }), [])
      }
      for (const bound of [bounds.min - 1, bounds.max + 1, bounds.min + 0.5, Number.NaN]) {
        const [problem] = AlertOverrides.problems({ [name]: bound })
        assert.deepInclude(problem?.params, { limit: name, ...bounds })
      }
    }
  })
})

describe("bounds as plain data", () => {
  it("are read and written as they were", () => {
    const plain = { delivered: 95, verified: null, spend: "20.00", webhooks: 5 }
    const own = Result.getOrThrow(AlertOverrides.overridesOf({ ...plain }))
    assert.deepStrictEqual(own, { ...plain, spend: Money.make("20") })
    assert.deepStrictEqual(AlertOverrides.plainAlerts(own), plain)
    const none = { spend: null }
    assert.deepStrictEqual(Result.getOrThrow(AlertOverrides.overridesOf(none)), none)
    assert.deepStrictEqual(AlertOverrides.plainAlerts(none), none)
    assert.deepStrictEqual(
      Result.getOrThrow(AlertOverrides.overridesOf({ delivered: undefined, spend: undefined })),
      {},
    )
  })

  it.each([
    ["a name of no alert", { balance: 5 }, "unknown_option"],
    ["a number as an amount", { spend: 5 }, "limit_not_string"],
    ["an amount that is no decimal", { spend: "5 dollars" }, "limit_not_decimal"],
  ])("refuse %s", (_, given, code) => {
    const read = AlertOverrides.overridesOf(mistyped(given))
    assert.strictEqual(Result.isFailure(read) ? read.failure.code : undefined, code)
  })
})
