/** Statistics of measured values. */

/** Returns the value below which the given share of the values lies; 0 without values. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}

/** Returns the median. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = Float64Array.from(values).toSorted()
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (low + high) / 2
}

/** Returns the lowest and the highest value. */
export const range = (values: ReadonlyArray<number>): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
]
