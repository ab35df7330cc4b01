/**
 * Measures whether the time of a function depends on a secret, with the method of dudect. The inputs are of two
 * classes in random order, and Welch's t-test compares their times. The test is repeated without the longest times,
 * with 100 different bounds, because the longest times come from the machine and not from the function.
 *
 * The inputs decide what is measured. Both classes are written into slots of one buffer and read by the same code,
 * so they differ in their bytes alone. A class of one fixed input also differs from a class of many random inputs in
 * the caches.
 */
import { randomBytes } from "node:crypto"

/** The class of an input. */
export type Kind = 0 | 1

/** A function and its inputs. */
export interface Comparison<A, B = unknown> {
  /** Number of measured calls. A tenth of them run before, and are not counted. */
  readonly samples: number
  /** Number of bytes of a slot. */
  readonly width: number
  /** Writes an input of this class into a slot, which still has an earlier input. */
  readonly fill: (slot: Uint8Array, kind: Kind) => void
  /** Returns the argument of `run`. It runs before the time is taken, and does not know the class. */
  readonly input: (slot: Uint8Array) => A
  /** The measured function. */
  readonly run: (input: A) => B
}

/** The difference between both classes. */
export interface Result {
  readonly samples: number
  /** The greatest absolute t of all bounds. */
  readonly t: number
  /** The median of the second class minus the median of the first, in nanoseconds. */
  readonly nanoseconds: number
}

/** If both classes have the same times, about one measurement in 10,000 reaches this t. */
export const limit = 4.5

/** Number of inputs that are prepared together. */
const perBatch = 1_000

/** Minimum number of times of each class in a test. */
const fewest = 200

/** Number of bounds. */
const bounds = 100

interface Moments {
  readonly count: number
  readonly mean: number
  readonly variance: number
}

/** Returns the moments of the times up to a bound, for growing bounds. `origin` is near all times. */
const growing = (sorted: Float64Array, origin: number) => {
  let [count, sum, squares] = [0, 0, 0]
  return (bound: number): Moments => {
    for (let next = sorted[count]; next !== undefined && next <= bound; next = sorted[count]) {
      sum += next - origin
      squares += (next - origin) ** 2
      count += 1
    }
    // Equal times may give a variance slightly below 0.
    const variance = Math.max(0, squares - sum ** 2 / count) / (count - 1)
    return { count, mean: sum / count, variance }
  }
}

const tOf = (first: Moments, second: Moments): number => {
  const difference = Math.abs(first.mean - second.mean)
  const error = Math.sqrt(first.variance / first.count + second.variance / second.count)
  return difference === 0 ? 0 : difference / error
}

const medianOf = (sorted: Float64Array): number => sorted[Math.floor(sorted.length / 2)] ?? 0

/** Compares the times of both classes, in nanoseconds. */
export const compare = (first: Float64Array, second: Float64Array): Result => {
  const [one, other] = [first.toSorted(), second.toSorted()]
  const all = new Float64Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  all.sort()
  const origin = medianOf(all)
  const [ofOne, ofOther] = [growing(one, origin), growing(other, origin)]
  let t = 0
  for (let step = 1; step <= bounds + 1; step++) {
    // Closer and closer to all times, as dudect chooses them: 7 %, 13 %, 19 %, …, 99.9 %, and all.
    const part = step > bounds ? 1 : 1 - 0.5 ** ((10 * step) / bounds)
    const bound = all[Math.ceil(part * all.length) - 1] ?? Infinity
    const moments = [ofOne(bound), ofOther(bound)] as const
    if (moments.every(({ count }) => count >= fewest)) t = Math.max(t, tOf(...moments))
  }
  return { samples: all.length, t, nanoseconds: medianOf(other) - medianOf(one) }
}

// oxlint-disable-next-line eslint/no-restricted-properties -- a tool that measures, not a part of the engine
const now = (): number => performance.now()

/** Whole nanoseconds, of which sums and squares are exact. */
const since = (began: number, ended: number): number => Math.round((ended - began) * 1_000_000)

interface Batch<A> {
  readonly inputs: ReadonlyArray<A>
  readonly kinds: ReadonlyArray<Kind>
}

/** Returns what makes a batch. All batches are in the same slots. */
const batches = <A>({ fill, input, width }: Omit<Comparison<A>, "run" | "samples">) => {
  const buffer = new Uint8Array(perBatch * width)
  const slots = Array.from({ length: perBatch }, (_, index) =>
    buffer.subarray(index * width, (index + 1) * width),
  )
  return (size: number): Batch<A> => {
    const kinds = Array.from(randomBytes(size), (byte): Kind => ((byte & 1) === 0 ? 0 : 1))
    const used = slots.slice(0, size)
    for (const [index, slot] of used.entries()) fill(slot, kinds[index] ?? 0)
    return { inputs: used.map(input), kinds }
  }
}

const sizesOf = (samples: number): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(samples / perBatch) }, (_, index) =>
    Math.min(perBatch, samples - index * perBatch),
  )

/** Collects the times of batches by class. Discards the times of the first batches, which are slow. */
const collecting = (samples: number) => {
  const warmUp = sizesOf(Math.ceil(samples / 10))
  const times: readonly [Array<number>, Array<number>] = [[], []]
  let left = warmUp.length
  return {
    sizes: [...warmUp, ...sizesOf(samples)],
    add: (kinds: ReadonlyArray<Kind>, taken: Float64Array): void => {
      left -= 1
      if (left >= 0) return
      for (const [index, kind] of kinds.entries()) times[kind].push(taken[index] ?? 0)
    },
    result: () => compare(Float64Array.from(times[0]), Float64Array.from(times[1])),
  }
}

/** Measures a function that returns its result at once. */
export const measure = <A>(comparison: Comparison<A>): Result => {
  const { run, samples } = comparison
  const batchOf = batches(comparison)
  const { add, result, sizes } = collecting(samples)
  const taken = new Float64Array(perBatch)
  // A call whose result is not used could be optimized away.
  const results: Array<unknown> = []
  for (const size of sizes) {
    const { inputs, kinds } = batchOf(size)
    let index = 0
    for (const input of inputs) {
      const began = now()
      const returned = run(input)
      taken[index] = since(began, now())
      results[index] = returned
      index += 1
    }
    add(kinds, taken)
  }
  return result()
}

/** Measures a function that returns a promise. The calls follow one another. */
export const measureAsync = async <A>(
  comparison: Comparison<A, Promise<unknown>>,
): Promise<Result> => {
  const { run, samples } = comparison
  const batchOf = batches(comparison)
  const { add, result, sizes } = collecting(samples)
  const taken = new Float64Array(perBatch)
  for (const size of sizes) {
    const { inputs, kinds } = batchOf(size)
    for (const [index, input] of inputs.entries()) {
      const began = now()
      await run(input)
      taken[index] = since(began, now())
    }
    add(kinds, taken)
  }
  return result()
}
