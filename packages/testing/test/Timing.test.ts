import { assert, describe, it } from "@effect/vitest"
import * as TestCrypto from "../src/TestCrypto.ts"
import * as Timing from "../src/Timing.ts"

/** Numbers between 0 and 1 from a seed. */
const uniform = (seed: number) => {
  const bytes = TestCrypto.seededBytes(seed)
  return () => {
    const [high = 0, low = 0] = bytes(2)
    return (high * 256 + low + 0.5) / 65_536
  }
}

/** Times around `mean` with a deviation of `deviation`. */
const times = (seed: number, count: number, mean: number, deviation: number) => {
  const draw = uniform(seed)
  return Float64Array.from({ length: count }, () => {
    // The sum of three has the deviation 1/2.
    const sum = draw() + draw() + draw() - 1.5
    return mean + deviation * 2 * sum
  })
}

describe("Timing.compare", () => {
  it("computes Welch's t, also of classes with other deviations and sizes", () => {
    // 1, 2, 3, 4, 5 repeated 100 times, against 2, 4, …, 10 repeated 80 times:
    // means 3 and 6, variances 2 · 500/499 and 8 · 400/399.
    const first = Float64Array.from({ length: 500 }, (_, index) => 1 + (index % 5))
    const second = Float64Array.from({ length: 400 }, (_, index) => 2 + 2 * (index % 5))
    const t = 3 / Math.sqrt((2 * 500) / 499 / 500 + (8 * 400) / 399 / 400)
    const result = Timing.compare(first, second)
    assert.strictEqual(result.samples, 900)
    // The bounds below the greatest time leave less of the second class, and a smaller t.
    assert.closeTo(result.t, t, 1e-9)
    assert.strictEqual(result.nanoseconds, 3)
    assert.deepStrictEqual(Timing.compare(second, first).t, result.t)
  })

  it("finds nothing in equal classes, for 50 seeds", () => {
    const found = Array.from({ length: 50 }, (_, seed) =>
      Timing.compare(times(seed, 500, 1, 0.1), times(seed + 50, 500, 1, 0.1)),
    )
    assert.isBelow(Math.max(...found.map(({ t }) => t)), Timing.limit)
  })

  it("finds a difference of a fifth of the deviation among 20,000 times", () => {
    const { nanoseconds, t } = Timing.compare(
      times(1, 10_000, 1_000, 100),
      times(2, 10_000, 1_020, 100),
    )
    // 20 / √(2 · 100² / 10,000)
    assert.closeTo(t, 14, 3)
    assert.closeTo(nanoseconds, 20, 5)
  })

  it("finds a difference that long pauses of the machine hide", () => {
    const paused = (seed: number, mean: number) => {
      const draw = uniform(seed + 7)
      return times(seed, 10_000, mean, 0.01).map((time) =>
        draw() < 0.1 ? time + 50 * draw() : time,
      )
    }
    const [first, second] = [paused(1, 1), paused(2, 1.002)]
    assert.isAbove(Timing.compare(first, second).t, 10)
    const mean = (all: Float64Array) => all.reduce((sum, one) => sum + one, 0) / all.length
    assert.isAbove(Math.abs(mean(first) - mean(second)), 0.003)
  })

  it("finds no difference among too few times, and an infinite one between constants", () => {
    assert.strictEqual(Timing.compare(times(1, 199, 1, 0.1), times(2, 199, 2, 0.1)).t, 0)
    const constant = (value: number) => new Float64Array(200).fill(value)
    assert.strictEqual(Timing.compare(constant(1), constant(1)).t, 0)
    const few = Float64Array.from({ length: 900 }, (_, index) => 0.1 + (index % 3) * 1e-6)
    assert.isBelow(Timing.compare(few, few.slice(3)).t, 0.1)
    assert.strictEqual(Timing.compare(constant(1), constant(2)).t, Infinity)
  })
})

describe("Timing.measure", () => {
  const comparison = (seen: Array<number>) => ({
    samples: 2_500,
    width: 4,
    fill: (slot: Uint8Array, kind: Timing.Kind) => void slot.fill(kind),
    input: (slot: Uint8Array) => slot.slice(),
    run: (input: Uint8Array) => void seen.push(input[3] ?? -1),
  })

  it("calls the function with inputs of both classes in random order, and with some before", () => {
    const seen: Array<number> = []
    assert.strictEqual(Timing.measure(comparison(seen)).samples, 2_500)
    assert.lengthOf(seen, 2_750)
    const second = seen.filter((kind) => kind === 1).length
    assert.closeTo(second, 1_375, 200)
    assert.strictEqual(seen.filter((kind) => kind === 0).length, 2_750 - second)
    const changes = seen.filter((kind, index) => kind !== seen[index - 1]).length
    assert.closeTo(changes, 1_375, 200)
  })

  it("measures promises one after another", async () => {
    const seen: Array<number> = []
    let open = 0
    const { run, ...others } = comparison(seen)
    const result = await Timing.measureAsync({
      ...others,
      run: async (input) => {
        assert.strictEqual(open++, 0)
        await Promise.resolve()
        run(input)
        open -= 1
      },
    })
    assert.strictEqual(result.samples, 2_500)
    assert.lengthOf(seen, 2_750)
  })

  it("finds a comparison that ends at the first difference, and not one that does not", () => {
    const right = new Uint8Array(64).fill(7)
    const at = (run: (input: Uint8Array) => boolean) =>
      Timing.measure({
        samples: 20_000,
        width: right.length,
        fill: (slot, kind) => {
          slot.set(right)
          slot[kind === 0 ? 0 : right.length - 1] = 9
        },
        input: (slot) => slot,
        run,
      })
    assert.isAbove(at((given) => given.every((byte, index) => byte === right[index])).t, 10)
  })
})
