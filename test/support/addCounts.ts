/** Adds counts to the totals of the same names. */
export const addCounts = (
  totals: Record<string, number>,
  counts: Readonly<Record<string, number>>,
): void => {
  for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count
}
