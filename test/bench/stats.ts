/** What is said of many measured values. */

/** The value below which the given share of all values lies; 0 of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}

/** The value in the middle; the mean of the two in the middle of an even number. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = Float64Array.from(values).toSorted()
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (low + high) / 2
}

/** The lowest and the highest. */
export const range = (values: ReadonlyArray<number>): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
]
