const units = [
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000],
] as const

/** A time in milliseconds as a duration in the largest unit that fits, such as `1.5 minutes`. */
export const elapsed = (millis: number): string => {
  for (const [unit, length] of units)
    if (millis >= length) return `${Math.round((10 * millis) / length) / 10} ${unit}`
  return `${millis} milliseconds`
}
