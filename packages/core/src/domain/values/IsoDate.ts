/**
 * Parses dates and times in ISO 8601 into exact instants.
 *
 * Accepts calendar dates (`2026-01-31`) and date-times with an offset (`2026-01-31T09:30:00+06:00`). Seconds
 * and their fraction are optional. A date-time without an offset is refused, because it would be another
 * instant on each machine.
 */

/** Whether an instant is the start or the end of a range. It matters if the text covers a span of time. */
export type Edge = "start" | "end"

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?))?$/

const minuteMillis = 60_000
const dayMillis = 86_400_000

/** The Gregorian calendar repeats after 400 years. `Date.UTC` gives years below 100 another meaning. */
const cycleYears = 400
const cycleMillis = 146_097 * dayMillis

const dayStart = (year: number, month: number, day: number): number | undefined => {
  const date = new Date(Date.UTC(year + cycleYears, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    ? date.getTime() - cycleMillis
    : undefined
}

const offsetMillis = (offset: string): number | undefined => {
  if (offset === "Z") return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(":", ""))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * minuteMillis
}

/** Returns a fraction of a second in whole milliseconds, rounded into the range at either edge. */
const fractionMillis = (digits: string, edge: Edge): number => {
  const millis = Number(digits.slice(0, 3).padEnd(3, "0"))
  return edge === "start" && /[1-9]/.test(digits.slice(3)) ? millis + 1 : millis
}

/**
 * Returns epoch milliseconds; `undefined` if the text is not a date, or the date does not exist, such as 30
 * February. A date alone is the first or the last millisecond of that day in UTC.
 */
export const parse = (text: string, edge: Edge): number | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = "0", fraction = "", offset] = match
  const start = dayStart(Number(year), Number(month), Number(day))
  if (start === undefined) return undefined
  if (offset === undefined) return edge === "start" ? start : start + dayMillis - 1
  const shift = offsetMillis(offset)
  if (shift === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return undefined
  }
  const time = (Number(hour) * 60 + Number(minute)) * minuteMillis + Number(second) * 1_000
  return start + time + fractionMillis(fraction, edge) - shift
}
