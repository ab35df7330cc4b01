/** A decimal and a unit: `"60 seconds"`, `"1.5 hours"`. A bare number is refused. */
export type Duration =
  | `${number} millisecond`
  | `${number} milliseconds`
  | `${number} second`
  | `${number} seconds`
  | `${number} minute`
  | `${number} minutes`
  | `${number} hour`
  | `${number} hours`
  | `${number} day`
  | `${number} days`

const lengths = new Map([
  ["millisecond", 1],
  ["second", 1_000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
])

/** The milliseconds of a duration; `NaN` for other values. */
export const millisOf = (value: unknown): number => {
  const text = typeof value === "string" ? value : ""
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?) ([a-z]+?)s?$/.exec(text) ?? []
  return Number(digits) * (lengths.get(unit) ?? Number.NaN)
}

/** The advice for a value that is not a duration. A bare number most likely counts seconds. */
export const instead = (value: unknown): string => {
  const count = typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 60
  const seconds = count >= 1_000 && count % 1_000 === 0 ? count / 1_000 : count
  return `must be a number with its unit: write "${seconds} second${seconds === 1 ? "" : "s"}"`
}
