import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as SlidingWindow from "../../../src/domain/limits/SlidingWindow.ts"

const tenAMinute: SlidingWindow.Limit = { max: 10, windowMillis: 60_000 }

/** Pauses that matter: none, one millisecond, a whole window and its neighbours. */
const pause = (windowMillis: number) =>
  fc.oneof(
    fc.constantFrom(0, 1, 999, 1_000, 1_001, windowMillis - 1, windowMillis, windowMillis + 1),
    fc.nat({ max: windowMillis * 2 }),
  )

const limitOf = (...windowMillis: ReadonlyArray<number>) =>
  fc.record({
    max: fc.integer({ min: 1, max: 12 }),
    windowMillis: fc.constantFrom(...windowMillis),
  })

/** Short windows with few events and long ones with more, in any combination. */
const traffics = fc
  .record({
    short: limitOf(1_000, 1_500, 10_000),
    long: fc.array(limitOf(10_000, 30_000, 60_000), { minLength: 0, maxLength: 3 }),
  })
  .chain(({ long, short }) =>
    fc.record({
      limits: fc.constant([short, ...long]),
      pauses: fc.array(pause(short.windowMillis), { maxLength: 40 }),
    }),
  )

interface Attempt {
  readonly at: number
  readonly admission: SlidingWindow.Admission
  readonly before: SlidingWindow.SlidingWindow
}

const ask = (
  limit: SlidingWindow.WindowLimit,
  pauses: ReadonlyArray<number>,
): ReadonlyArray<Attempt> => {
  const attempts: Array<Attempt> = []
  let window = SlidingWindow.empty
  let at = 1_000_000
  for (const pause of pauses) {
    at += pause
    const admission = SlidingWindow.admit(window, limit, at)
    attempts.push({ at, admission, before: window })
    if (admission._tag === "Admitted") window = admission.window
  }
  return attempts
}

const inWords = (admission: SlidingWindow.Admission): string =>
  admission._tag === "Limited"
    ? `retry after ${admission.retryAfterSeconds} s`
    : `admitted, ${admission.window.length} kept`

describe("SlidingWindow.admit", () => {
  it("answers like a model that counts all admitted events in every interval", () => {
    fc.assert(
      fc.property(traffics, ({ limits, pauses }) => {
        const admitted: Array<number> = []
        const isFull = (now: number): boolean =>
          limits.some(
            ({ max, windowMillis }) =>
              admitted.filter((at) => at > now - windowMillis).length >= max,
          )
        for (const { admission, at, before } of ask(limits, pauses)) {
          assert.isAtMost(before.length, Math.max(...limits.map(({ max }) => max)))
          if (!isFull(at)) {
            assert.strictEqual(admission._tag, "Admitted")
            admitted.push(at)
            continue
          }
          let seconds = 1
          while (isFull(at + seconds * 1_000)) seconds += 1
          assert.deepStrictEqual(admission, { _tag: "Limited", retryAfterSeconds: seconds })
        }
      }),
      { numRuns: 400 },
    )
  })

  it.each([
    ["the minute is full", [0, 1, 2, 3], 10_000, "retry after 51 s"],
    ["the minute has passed", [0, 1, 2, 3], 60_001, "admitted, 5 kept"],
    ["the day is full", [0, 1, 2, 3, 70_000, 70_001], 200_000, "retry after 86200 s"],
    ["only the day is full", [0, 1, 2, 3, 4, 86_390_000], 86_390_001, "retry after 10 s"],
    [
      "both are full",
      [0, 1, 2, 86_390_000, 86_390_001, 86_390_002],
      86_390_003,
      "retry after 60 s",
    ],
    ["the first has left the day", [0, 1, 2, 3, 70_000, 70_001], 86_400_000, "admitted, 6 kept"],
  ] as const)("applies several limits at once: %s", (_, times, now, expected) => {
    const limits = [
      { max: 3, windowMillis: 60_000 },
      { max: 6, windowMillis: 86_400_000 },
    ]
    assert.strictEqual(inWords(SlidingWindow.admit(times, limits, now)), expected)
  })

  it("applies several limits at once: in any order", () => {
    const limits = [
      { max: 6, windowMillis: 86_400_000 },
      { max: 3, windowMillis: 60_000 },
    ]
    assert.strictEqual(inWords(SlidingWindow.admit([0], limits, 70_000)), "admitted, 2 kept")
  })

  it("admits everything and stores nothing without a limit", () => {
    assert.deepStrictEqual(SlidingWindow.admit([1, 2, 3], undefined, 4), {
      _tag: "Admitted",
      window: [],
    })
  })

  it("waits for the newest times after the limit was lowered", () => {
    const times = [0, 10_000, 20_000, 30_000]
    const lowered = { max: 2, windowMillis: 60_000 }
    assert.deepStrictEqual(SlidingWindow.admit(times, lowered, 40_000), {
      _tag: "Limited",
      retryAfterSeconds: 40,
    })
    assert.strictEqual(SlidingWindow.admit(times, lowered, 80_000)._tag, "Admitted")
    assert.strictEqual(SlidingWindow.admit(times, lowered, 79_999)._tag, "Limited")
  })

  it("returns a whole window as the wait if the limit is zero", () => {
    assert.deepStrictEqual(SlidingWindow.admit([], { max: 0, windowMillis: 60_000 }, 5), {
      _tag: "Limited",
      retryAfterSeconds: 60,
    })
  })

  it("does not mutate its input", () => {
    const times = Object.freeze([1, 2])
    SlidingWindow.admit(times, tenAMinute, 60_001)
    assert.deepStrictEqual(times, [1, 2])
  })
})

describe("events after `now`, as a repair of the time leaves them", () => {
  const ahead = [900, 2_000, 90_000]
  it("count as events of now", () => {
    const limit = { max: 4, windowMillis: 60_000 }
    const admission = SlidingWindow.admit(ahead, limit, 1_000)
    assert.deepStrictEqual(admission, { _tag: "Admitted", window: [900, 1_000, 1_000, 1_000] })
  })

  it.each([
    ["now", 3, 60],
    ["a window from now", 2, 60],
  ])("free their places as one of %s does", (_, max, seconds) => {
    const limit = { max, windowMillis: 60_000 }
    assert.strictEqual(SlidingWindow.retryAfterSeconds(ahead, limit, 1_000), seconds)
  })
})
