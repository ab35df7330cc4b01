import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as LimitOverrides from "../../../src/domain/limits/LimitOverrides.ts"
import { coreName, limitTable, names, plainName } from "../../../src/domain/limits/LimitTable.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import { untyped } from "../../support/untyped.ts"

/** At least one limit of each kind. */
const core: LimitOverrides.LimitOverrides = {
  sendsPerNumber: { max: 10, windowMillis: 90_000 },
  pendingPerNumber: 4,
  checksPerOrganization: [
    { max: 20, windowMillis: 60_000 },
    { max: 100, windowMillis: 86_400_000 },
  ],
  sendsPerClient: null,
  checksPerClient: { max: 0, windowMillis: 1 },
  spendPerDay: Money.make("500.25"),
  resendCooldownMillis: 1_500,
  codeLength: { min: 4, max: 8, default: 6 },
  expirySeconds: { min: 30, max: 600, default: 90 },
  pageSize: { max: 10, default: 5 },
}

const plain: LimitOverrides.PlainLimits = {
  sendsPerNumber: { max: 10, per: "90 seconds" },
  pendingPerNumber: 4,
  checksPerOrganization: [
    { max: 20, per: "1 minute" },
    { max: 100, per: "1 day" },
  ],
  sendsPerClient: null,
  checksPerClient: { max: 0, per: "1 millisecond" },
  spendPerDay: "500.25",
  resendCooldown: "1.5 seconds",
  codeLength: { min: 4, max: 8, default: 6 },
  expiresIn: { min: "30 seconds", max: "10 minutes", default: "90 seconds" },
  pageSize: { max: 10, default: 5 },
}

describe("limits as plain data", () => {
  it("have every limit of the table, by the names of callers", () => {
    assert.sameMembers(Object.keys(limitTable), names.map(coreName))
    for (const name of names) assert.strictEqual(plainName(coreName(name)), name)
  })

  it("are read and written", () => {
    assert.deepStrictEqual(LimitOverrides.plainLimits(core), plain)
    assert.deepStrictEqual(LimitOverrides.overridesOf(plain), Result.succeed(core))
    assert.deepStrictEqual(LimitOverrides.problems(core), [])
  })

  it("contain no member that is undefined", () => {
    const read = LimitOverrides.overridesOf({ attempts: undefined, spendPerDay: null })
    assert.deepStrictEqual(read, Result.succeed({ spendPerDay: null }))
  })
})

describe("limits of callers in JavaScript", () => {
  const problemOf = (own: object): string =>
    Result.match(LimitOverrides.overridesOf(untyped(own)), {
      onFailure: ({ message }) => message,
      onSuccess: (limits) => LimitOverrides.problems(limits)[0]?.message ?? "",
    })

  it.each([
    [{ attempts: null }, "attempts must be an integer between 1 and 100"],
    [{ attempts: "3" }, "attempts must be an integer between 1 and 100"],
    [{ sendsPerNumber: [] }, "sendsPerNumber must be { max, per }, or a list of 1 to 4 of them"],
    [{ sendsPerNumber: 5 }, "sendsPerNumber must be { max, per }, or a list of 1 to 4 of them"],
    [
      { sendsPerNumber: [{ per: "1 day" }] },
      "sendsPerNumber.0.max must be an integer between 0 and 1000",
    ],
    [{ spendPerDay: 500 }, "spendPerDay must be a decimal as text"],
    [
      { spendPerDay: "a lot" },
      "spendPerDay must be a decimal number with at most 11 digits before the point and 4 after it",
    ],
    [
      { sendsPerNumber: { max: 1, per: 60 } },
      'sendsPerNumber.per must be a number with its unit: write "60 seconds"',
    ],
    [
      {
        checksPerOrganization: [
          { max: 1, per: "1 day" },
          { max: 1, per: "soon" },
        ],
      },
      'checksPerOrganization.1.per must be a number with its unit: write "60 seconds"',
    ],
    [
      { checksPerOrganization: [{ max: 1, per: "1 day" }, 5] },
      "checksPerOrganization must be { max, per }, or a list of 1 to 4 of them",
    ],
    [
      { expiresIn: { min: 1, max: "1 minute", default: "1 minute" } },
      'expiresIn.min must be a number with its unit: write "1 second"',
    ],
    [
      { expiresIn: { min: "1 minute", max: "long", default: "1 minute" } },
      'expiresIn.max must be a number with its unit: write "60 seconds"',
    ],
    [
      { expiresIn: { min: "1 minute", max: "1 hour", default: "now" } },
      'expiresIn.default must be a number with its unit: write "60 seconds"',
    ],
    [{ attempts: 3, attempt: 3 }, `must be one of ${names.join(", ")}`],
    [{ expiresIn: null }, "expiresIn must be an object with max and default"],
  ])("refuses %j", (own, message) => assert.strictEqual(problemOf(own), message))
})

describe("the limits of a host", () => {
  const base = Limits.defaults
  it("replace those of the profile", () => {
    const own = { attempts: 5, sendsPerClient: null }
    assert.deepStrictEqual(
      LimitOverrides.hostLimits(own, base),
      Result.succeed(LimitOverrides.apply(own, base)),
    )
  })

  it("are refused with the first problem", () => {
    const read = LimitOverrides.hostLimits({ attempts: 0 }, base)
    assert.strictEqual(
      Result.getOrThrow(Result.flip(read)).message,
      "attempts must be an integer between 1 and 100",
    )
  })
})
