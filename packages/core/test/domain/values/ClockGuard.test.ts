import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ClockGuard from "../../../src/domain/values/ClockGuard.ts"

const { confirmMillis, maxJumpMillis } = ClockGuard
const start = 1_767_225_600_000
const tenYears = 10 * 365 * 86_400_000

/** Reads the clock at each pair of [clock, monotonic], both after the start; gives the times, after it too. */
const play = (readings: ReadonlyArray<readonly [clock: number, monotonic: number]>) => {
  let guard = ClockGuard.initial
  return readings.map(([clock, monotonic]) => {
    const read = ClockGuard.read(guard, { clockMillis: start + clock, monotonicMillis: monotonic })
    guard = read.guard
    return read.now - start
  })
}

describe("ClockGuard.read", () => {
  const at = (clock: number, monotonic: number) => [clock, monotonic] as const
  const day = 86_400_000
  const hour = confirmMillis
  const rows: ReadonlyArray<
    readonly [given: string, readings: Parameters<typeof play>[0], times: ReadonlyArray<number>]
  > = [
    ["a clock that keeps time", [at(0, 0), at(5_000, 5_000), at(day, day)], [0, 5_000, day]],
    ["any first reading", [at(tenYears, 0)], [tenYears]],
    ["a jump up to the bound", [at(0, 0), at(maxJumpMillis, 0)], [0, maxJumpMillis]],
    ["a jump beyond the bound", [at(0, 0), at(maxJumpMillis + 1, 0)], [0, 0]],
    ["ten years for one reading", [at(0, 0), at(tenYears, 1), at(2, 2)], [0, 1, 2]],
    ["a step back", [at(0, 0), at(-50_000, 0), at(0, 50_000)], [0, -50_000, 0]],
    [
      "a long way back and forward again",
      [at(0, 0), at(-hour, 0), at(59_999, 0), at(60_000, 1)],
      [0, -hour, 59_999, 60_000],
    ],
    [
      "a jump that lasts, up to its confirmation",
      [at(0, 0), at(tenYears, 1), at(tenYears + hour - 1, hour), at(tenYears + hour, 1 + hour)],
      [0, 1, hour, tenYears + hour],
    ],
    [
      "a jump that becomes another one, which needs a new confirmation",
      [at(0, 0), at(tenYears, 0), at(2 * tenYears, hour), at(0, hour)],
      [0, 0, hour, 0],
    ],
  ]
  it.each(rows)("classifies %s correctly", (_, readings, times) => {
    assert.deepStrictEqual(play(readings), times)
  })

  it("never runs ahead of the elapsed time by more than the bound within an hour", () => {
    const reading = fc.record({
      passed: fc.nat({ max: 60_000 }),
      clock: fc.oneof(fc.integer({ min: -tenYears, max: tenYears }), fc.nat({ max: 60_000 })),
    })
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 50 }), (readings) => {
        let monotonicMillis = 0
        let guard = ClockGuard.initial
        let highest = start
        guard = ClockGuard.read(guard, { clockMillis: start, monotonicMillis }).guard
        for (const { clock, passed } of readings) {
          monotonicMillis += passed
          const read = ClockGuard.read(guard, { clockMillis: start + clock, monotonicMillis })
          assert.isAtMost(read.now, highest + passed + maxJumpMillis)
          highest = Math.max(highest + passed, read.now)
          guard = read.guard
        }
      }),
    )
  })
})

describe("a time far ahead", () => {
  it.each([
    [0, false],
    [maxJumpMillis, false],
    [maxJumpMillis + 1, true],
  ])("%s milliseconds after now: %s", (ahead, expected) => {
    assert.strictEqual(ClockGuard.isFarAhead(start + ahead, start), expected)
  })
})
