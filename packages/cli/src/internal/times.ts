/**
 * Times that people type.
 */
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"

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

/** A flag with a time, in epoch milliseconds. */
export const time = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(`${description}: 2026-11-22, or 2026-11-22T19:09+06:00`),
    Flag.mapEffect((value) => {
      const at = parseTime(value, DateTime.zoneMakeLocal())
      return at === undefined
        ? Effect.fail(
            new CliError.InvalidValue({
              option: name,
              value,
              expected: "a date, or a date and time in ISO 8601 form",
              kind: "flag",
            }),
          )
        : Effect.succeed(at)
    }),
  )
