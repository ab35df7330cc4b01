/**
 * The first whole number from `low` on for which a condition holds, or `high`. Once the condition holds, it has
 * to hold for all greater numbers.
 */
export const firstWhere = (
  low: number,
  high: number,
  holds: (value: number) => boolean,
): number => {
  let first = low
  let end = high
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (holds(middle)) end = middle
    else first = middle + 1
  }
  return first
}
