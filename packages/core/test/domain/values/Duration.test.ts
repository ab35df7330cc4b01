import { assert, describe, it } from "@effect/vitest"
import * as EffectDuration from "effect/Duration"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Duration from "../../../src/domain/values/Duration.ts"

const millis = fc.oneof(
  fc.integer({ min: 0, max: Duration.maxMillis }),
  fc.integer({ min: 0, max: 200_000 }),
  fc
    .tuple(
      fc.integer({ min: 0, max: 1_000 }),
      fc.constantFrom(1_000, 60_000, 3_600_000, 86_400_000),
    )
    .map(([count, unit]) => count * unit),
)

describe("a duration", () => {
  it("reads what it writes", () => {
    fc.assert(
      fc.property(millis, (given) => {
        const text = Duration.format(given)
        assert.deepStrictEqual(Duration.toMillis(text), Result.succeed(given))
        assert.isTrue(Duration.is(text))
      }),
    )
  })

  it.each([
    ["60 seconds", 60_000],
    ["1 second", 1_000],
    ["1 seconds", 1_000],
    ["1.5 hours", 5_400_000],
    ["1.1 minutes", 66_000],
    ["0.3333333 days", 28_799_997],
    ["90 days", 7_776_000_000],
    ["250 milliseconds", 250],
    ["0 seconds", 0],
    ["36500 days", Duration.maxMillis],
    [EffectDuration.minutes(5), 300_000],
  ])("%s has the length that it states", (value, expected) => {
    assert.deepStrictEqual(Duration.toMillis(value), Result.succeed(expected))
  })

  it.each([
    [0, "0 seconds"],
    [1, "1 millisecond"],
    [999, "999 milliseconds"],
    [1_000, "1 second"],
    [1_500, "1.5 seconds"],
    [60_000, "1 minute"],
    [61_000, "61 seconds"],
    [5_400_000, "90 minutes"],
    [7_200_000, "2 hours"],
    [86_400_000, "1 day"],
    [2_678_400_000, "31 days"],
  ])("%s milliseconds are written in the longest unit that fits", (given, text) => {
    assert.strictEqual(Duration.format(given), text)
  })
})

describe("what is no duration", () => {
  it.each([
    [60, "60 seconds"],
    [1, "1 second"],
    [1.5, "1.5 seconds"],
    [3_600, "3600 seconds"],
    [30_000, "30 seconds"],
    [60_000, "1 minute"],
    [86_400_000, "1 day"],
    ["60", "60 seconds"],
    ["60s", "60 seconds"],
    ["60 Seconds", "60 seconds"],
    ["60  seconds", "60 seconds"],
    ["60 secs", "60 seconds"],
    ["500ms", "500 milliseconds"],
    ["500 milli", "500 milliseconds"],
    ["5m", "5 minutes"],
    ["5 min", "5 minutes"],
    ["1h", "1 hour"],
    ["90d", "90 days"],
    ["1 fortnight", "60 seconds"],
    ["", "60 seconds"],
    ["soon", "60 seconds"],
    ["-5 seconds", "60 seconds"],
    ["1e3 seconds", "60 seconds"],
    ["1,000 seconds", "60 seconds"],
    ["Infinity", "60 seconds"],
    ["36501 days", "36500 days"],
    ["0.1 milliseconds", "1 millisecond"],
    [-1, "60 seconds"],
    [Number.NaN, "60 seconds"],
    [Infinity, "60 seconds"],
    [5n, "60 seconds"],
    [true, "60 seconds"],
    [null, "60 seconds"],
    [undefined, "60 seconds"],
    [{ seconds: 60 }, "60 seconds"],
    [EffectDuration.infinity, "36500 days"],
    [EffectDuration.seconds(-5), "60 seconds"],
  ])("%s is refused with what to write", (value, write) => {
    const read = Duration.toMillis(value)
    assert.isFalse(Duration.is(value))
    if (Result.isSuccess(read)) return assert.fail(String(read.success))
    assert.deepStrictEqual(read.failure.params, { write })
    assert.strictEqual(read.failure.message, `must be a number with its unit: write "${write}"`)
  })

  it("has the unit that its option had, if a number has none", () => {
    const write = (value: unknown) =>
      Result.match(Duration.toMillis(value, "day"), {
        onSuccess: () => "",
        onFailure: ({ params }) => params.write,
      })
    assert.strictEqual(write(90), "90 days")
    assert.strictEqual(write(1), "1 day")
    assert.strictEqual(write("7"), "7 days")
    assert.strictEqual(write("7h"), "7 hours")
    assert.strictEqual(write("long"), "90 days")
  })
})

it("is refused outside of its bounds, which the problem states", () => {
  const bounds = { min: 1_000, max: 600_000 }
  assert.deepStrictEqual(Duration.within("10 minutes", bounds), Result.succeed(600_000))
  for (const text of ["11 minutes", "999 milliseconds"]) {
    const read = Duration.within(text, bounds)
    assert.isTrue(Result.isFailure(read))
    assert.strictEqual(
      Result.isFailure(read) && read.failure.message,
      "must be between 1 second and 10 minutes",
    )
  }
})

describe("whole seconds", () => {
  it.each([
    ["1 second", 1],
    ["2 minutes", 120],
    ["1500 milliseconds", "2 seconds"],
  ])("%s: %s", (text, expected) => {
    const read = Result.match(Duration.toSeconds(text), {
      onSuccess: (seconds): number | string => seconds,
      onFailure: ({ code, params }) => {
        assert.strictEqual(code, "not_duration")
        return params.write
      },
    })
    assert.strictEqual(read, expected)
  })
})

it("an option that is no duration within its bounds throws, and names the option", () => {
  assert.strictEqual(Duration.millisOfOption("wait", "1 second"), 1_000)
  assert.strictEqual(Duration.millisOfOption("wait", "0 seconds"), 0)
  const bounds = { min: 1_000, max: 2_000 }
  assert.strictEqual(Duration.millisOfOption("wait", "1 second", bounds), 1_000)
  assert.throws(
    () => Duration.millisOfOption("wait", "3 seconds", bounds),
    RangeError,
    "wait must be between 1 second and 2 seconds",
  )
})
