/** Whether codes look as if each were drawn alone, and all were equally likely. */
import { chiSquare } from "../../packages/core/test/support/chiSquare.ts"

export interface CodeStatistics {
  /** Pairs of equal codes, in standard deviations from their expected number. */
  readonly repeats: number
  /** How unequal the counts of the first digits are, and of the last ones, in standard deviations. */
  readonly first: number
  readonly last: number
  /** Number of pairs of equal codes, and its expected value. */
  readonly pairs: number
  readonly expectedPairs: number
}

/** The number of digits whose values are counted: each value is expected at least five times. */
const digitsOf = (length: number, count: number): number =>
  Math.min(length, Math.floor(Math.log10(count / 5)))

/** A chi-square of `freedom` degrees as deviations of a normal distribution, after Wilson and Hilferty. */
const deviations = (value: number, freedom: number): number => {
  const spread = 2 / (9 * freedom)
  return ((value / freedom) ** (1 / 3) - (1 - spread)) / Math.sqrt(spread)
}

/** Statistics of codes of one length. Returns `undefined` for a text that is not a code of this length. */
export const statisticsOf = (
  length: number,
  codes: Iterable<string>,
  count: number,
): CodeStatistics | undefined => {
  const digits = digitsOf(length, count)
  const [first, last] = [0, 0].map(() => new Uint32Array(10 ** digits))
  const values = new Float64Array(count)
  let seen = 0
  for (const code of codes) {
    const value = Number(code)
    if (code.length !== length || !Number.isSafeInteger(value) || value < 0) return undefined
    values[seen++] = value
    const [head, tail] = [Number(code.slice(0, digits)), Number(code.slice(-digits))]
    if (first !== undefined) first[head] = (first[head] ?? 0) + 1
    if (last !== undefined) last[tail] = (last[tail] ?? 0) + 1
  }
  values.sort()
  let pairs = 0
  for (let index = 1, before = 0; index < count; index++) {
    before = values[index] === values[index - 1] ? before + 1 : 0
    pairs += before
  }
  const all = 10 ** length
  const expectedPairs = (count * (count - 1)) / 2 / all
  const unequal = (counts: Uint32Array | undefined) =>
    deviations(chiSquare([...(counts ?? [])]), 10 ** digits - 1)
  return {
    repeats: (pairs - expectedPairs) / Math.sqrt(expectedPairs * (1 - 1 / all)),
    first: unequal(first),
    last: unequal(last),
    pairs,
    expectedPairs,
  }
}
