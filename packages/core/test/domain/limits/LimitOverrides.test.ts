import { assert, describe, it } from "vitest"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as LimitOverrides from "../../../src/domain/limits/LimitOverrides.ts"
import { namesOf } from "../../../src/domain/limits/LimitTable.ts"
import { untyped } from "../../support/untyped.ts"

const problems = (limits: object): ReadonlyArray<string> =>
  LimitOverrides.problems(untyped(limits)).map(({ code, params }) =>
    [code.replace("limit_", ""), ...Object.values(params)].join(" "),
  )

const { bounds } = Limits
const cooldown = "duration_out_of_range resendCooldown 0 seconds 1 hour"
const early = "duration_out_of_range expiresIn.min 1 second 2 minutes"
const minute = 60_000
const window = { max: 5, windowMillis: minute }
const number = (name: string, { max, min }: { min: number; max: number }) => [
  [name, min, []],
  [name, max, []],
  [name, min - 1, [`out_of_range ${name} ${min} ${max}`]],
  [name, max + 1, [`out_of_range ${name} ${min} ${max}`]],
  [name, min + 0.5, [`out_of_range ${name} ${min} ${max}`]],
  [name, Number.NaN, [`out_of_range ${name} ${min} ${max}`]],
]

describe("an organization's own limits", () => {
  it.each([
    ...number("spendPerDay", { ...bounds.spendPerDay, max: 2 ** 53 - 1 }).slice(0, 3),
    ...number("guessesSinceSuccess", bounds.guessesSinceSuccess),
    ...number("pendingPerNumber", bounds.pendingPerNumber),
    ...number("attempts", bounds.attempts),
    ...number("resends", bounds.resends),
    ...number("messageLength", bounds.messageLength),
  ])("%s of %s: %j", (name, value, expected) => {
    assert.deepStrictEqual<unknown>(problems({ [String(name)]: value }), expected)
  })

  it.each(["spendPerDay", "guessesSinceSuccess", "sendsPerNumber"])("%s may be removed", (name) => {
    assert.deepStrictEqual(problems({ [name]: null }), [])
  })

  it.each([
    [{}, []],
    [{ resendCooldownMillis: 0 }, []],
    [{ resendCooldownMillis: 3_600_000 }, []],
    [{ resendCooldownMillis: -1 }, [cooldown]],
    [{ resendCooldownMillis: 0.5 }, [cooldown]],
    [{ resendCooldownMillis: 3_600_001 }, [cooldown]],
    [{ expirySeconds: 5 }, ["not_object expiresIn"]],
    [{ expirySeconds: { min: 1, max: 86_400, default: 1 } }, []],
    [{ expirySeconds: { min: 60, max: 60, default: 60 } }, []],
    [
      { expirySeconds: { min: 1, max: 86_401, default: 1 } },
      ["duration_out_of_range expiresIn.max 1 second 1 day"],
    ],
    [
      { expirySeconds: { min: 121, max: 120, default: 120 } },
      [early, "duration_out_of_range expiresIn.default 121 seconds 2 minutes"],
    ],
    [
      { expirySeconds: { min: 0, max: 120, default: 121 } },
      [early, "duration_out_of_range expiresIn.default 0 seconds 2 minutes"],
    ],
    [{ codeLength: 6 }, ["not_object codeLength"]],
    [{ pageSize: 6 }, ["not_object pageSize"]],
    [{ codeLength: { min: 4, max: 15, default: 4 } }, []],
    [{ codeLength: { min: 4, max: 16, default: 16 } }, ["out_of_range codeLength.max 4 15"]],
    [
      { codeLength: { min: 7, max: 6, default: 6 } },
      ["out_of_range codeLength.min 4 6", "out_of_range codeLength.default 7 6"],
    ],
    [
      { codeLength: { min: 3, max: 6, default: 7 } },
      ["out_of_range codeLength.min 4 6", "out_of_range codeLength.default 3 6"],
    ],
    [{ pageSize: { max: 1_000, default: 1 } }, []],
    [{ pageSize: { max: 1_001, default: 1 } }, ["out_of_range pageSize.max 1 1000"]],
    [{ pageSize: { max: 10, default: 0 } }, ["out_of_range pageSize.default 1 10"]],
    [{ pageSize: { max: 10, default: 11 } }, ["out_of_range pageSize.default 1 10"]],
  ])("%j: %j", (limits, expected) => {
    assert.deepStrictEqual<unknown>(problems(limits), expected)
  })

  it.each([
    [window, []],
    [[window], []],
    [[window, window, window, window], []],
    [[], ["not_window name 1 4"]],
    [[window, window, window, window, window], ["not_window name 1 4"]],
    [[window, 5], ["not_window name 1 4"]],
    [5, ["not_window name 1 4"]],
    [{ ...window, max: 0 }, []],
    [{ ...window, max: -1 }, [`out_of_range name.max 0 ${bounds.sendsPerNumber.max}`]],
    [{ ...window, windowMillis: 1 }, []],
    [{ ...window, windowMillis: 0 }, ["duration_out_of_range name.per 1 millisecond 31 days"]],
    [
      [window, { max: -1, windowMillis: 0 }],
      [
        `out_of_range name.1.max 0 ${bounds.sendsPerNumber.max}`,
        "duration_out_of_range name.1.per 1 millisecond 31 days",
      ],
    ],
  ])("a window of %j: %j", (limit, expected) => {
    for (const name of namesOf("window")) {
      const own = expected.map((one) => one.replace("name", name))
      assert.deepStrictEqual<unknown>(problems({ [name]: limit }), own)
    }
  })
})
