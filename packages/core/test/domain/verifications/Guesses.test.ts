import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Guesses from "../../../src/domain/verifications/Guesses.ts"
import { maxTracked } from "../../../src/domain/limits/SlidingWindow.ts"

const budget = { guessesPerNumber: { max: 2, windowMillis: 60_000 }, guessesSinceSuccess: 3 }
const withoutWindow = { ...budget, guessesPerNumber: undefined }
const unlimited = { guessesPerNumber: undefined, guessesSinceSuccess: undefined }

describe("Guesses.retryAfterSeconds", () => {
  it.each([
    ["nothing", { window: [], sinceSuccess: 0 }, budget, 0],
    ["a place in the window", { window: [0], sinceSuccess: 1 }, budget, 0],
    ["a full window", { window: [0, 9_000], sinceSuccess: 2 }, budget, 50],
    ["a window that has passed", { window: [-50_000, 9_000], sinceSuccess: 2 }, budget, 0],
    ["too many since the last right code", { window: [], sinceSuccess: 3 }, budget, 86_400],
    ["both", { window: [0, 9_000], sinceSuccess: 3 }, budget, 86_400],
    ["both, without a window", { window: [0, 9_000], sinceSuccess: 3 }, withoutWindow, 86_400],
    ["both, without any limit", { window: [0, 9_000], sinceSuccess: 3 }, unlimited, 0],
  ] as const)("with %s", (_, guesses, limits, seconds) => {
    assert.strictEqual(Guesses.retryAfterSeconds(guesses, limits, 10_000), seconds)
  })

  it("answers a window that is longer than a day with its own wait", () => {
    const limits = {
      guessesPerNumber: { max: 1, windowMillis: 7 * 86_400_000 },
      guessesSinceSuccess: 1,
    }
    const guessed = Guesses.addWrong(Guesses.none, limits, 1_000)
    assert.strictEqual(Guesses.retryAfterSeconds(guessed, limits, 1_000), 7 * 86_400)
  })
})

describe("Guesses.addRight", () => {
  it("ends the series of wrong codes, and leaves the window", () => {
    const after = Guesses.addRight({ window: [1, 2], sinceSuccess: 2 })
    assert.deepStrictEqual(after, { window: [1, 2], sinceSuccess: 0 })
    assert.strictEqual(Guesses.addRight(after), after)
  })
})

describe("Guesses.addWrong", () => {
  it("counts nothing without limits", () => {
    const guesses = { window: [1], sinceSuccess: 1 }
    assert.strictEqual(Guesses.addWrong(guesses, unlimited, 2), guesses)
  })

  it.each([
    [
      "the window only",
      { ...budget, guessesSinceSuccess: undefined },
      { window: [5], sinceSuccess: 0 },
    ],
    ["the series only", withoutWindow, { window: [], sinceSuccess: 1 }],
  ] as const)("counts %s if only it is limited", (_, limits, expected) => {
    assert.deepStrictEqual(Guesses.addWrong(Guesses.none, limits, 5), expected)
  })
})

const limit = fc.record({
  max: fc.integer({ min: 1, max: 4 }),
  windowMillis: fc.constantFrom(1_000, 5_000, 60_000),
})
const limits = fc.record({
  guessesPerNumber: fc.option(fc.array(limit, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  guessesSinceSuccess: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
})
const step = fc.record({
  pause: fc.constantFrom(0, 1, 999, 1_000, 4_999, 5_000, 30_000, 59_999, 60_000),
  isRight: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
})

describe("Guesses", () => {
  it("answer like a model that remembers every check", () => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 40 }), (budget, steps) => {
        const { guessesPerNumber = [], guessesSinceSuccess = Infinity } = budget
        const wrong: Array<number> = []
        let series = 0
        let guesses = Guesses.none
        let now = 1_000_000
        const isFull = (at: number) =>
          guessesPerNumber.some(
            ({ max, windowMillis }) =>
              wrong.filter((time) => time > at - windowMillis).length >= max,
          )
        for (const { isRight, pause } of steps) {
          now += pause
          let seconds = 0
          while (isFull(now + seconds * 1_000)) seconds += 1
          if (series >= guessesSinceSuccess) seconds = Guesses.blockedSeconds
          assert.strictEqual(Guesses.retryAfterSeconds(guesses, budget, now), seconds)
          assert.isAtMost(guesses.window.length, maxTracked)
          if (seconds > 0) continue
          guesses = isRight ? Guesses.addRight(guesses) : Guesses.addWrong(guesses, budget, now)
          series = isRight ? 0 : series + 1
          if (!isRight) wrong.push(now)
        }
      }),
    )
  })
})
