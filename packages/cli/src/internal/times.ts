/**
 * Times that people type.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether the calendar has the day. `Date` takes the 31st of a shorter month for the 1st of the next. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00Z`), (at) => DateTime.formatIsoDateUtc(at) === day)

/** The epoch milliseconds of a text. A time without an offset is one of the zone. */
export const parseTime = (text: string, zone: DateTime.TimeZone): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ].+)?$/.test(text) || !isDay(text.slice(0, 10))) return undefined
  const isDate = text.length === 10
  const at =
    !isDate && hasOffset.test(text)
      ? DateTime.make(text.replace(" ", "T"))
      : Option.map(DateTime.make(`${isDate ? `${text}T00:00` : text.replace(" ", "T")}Z`), (utc) =>
          DateTime.makeZonedUnsafe(utc, { timeZone: zone, adjustForTimeZone: true }),
        )
  return Option.getOrUndefined(Option.map(at, DateTime.toEpochMillis))
}
