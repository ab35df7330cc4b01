/** How far counts are from all being equal. */
export const chiSquare = (counts: ReadonlyArray<number>): number => {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
