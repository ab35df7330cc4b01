/** The flags and arguments that several commands have. */
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** An optional flag; `undefined` if it is not given. */
export const optionally = <A>(flag: Flag.Flag<A>) =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

export const text = (name: string, description: string, metavar = "string") =>
  optionally(Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description)))

/** A flag without a value. */
export const isGiven = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A repeatable flag; `undefined` if it is not given. */
export const many = <const A extends string>(
  name: string,
  values: ReadonlyArray<A>,
  description: string,
) =>
  Flag.Literals(name, values).pipe(
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((given) => (given.length === 0 ? undefined : given)),
  )

export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** A place in a log; `undefined` if it is not given. */
export const sequence = (name: string, description: string) =>
  optionally(Flag.Int(name).pipe(Flag.withMetavar("SEQUENCE"), Flag.withDescription(description)))

export const integer = (name: string, description: string, min: number, max: number) => {
  const range = `${min} to ${max.toLocaleString("en")}`
  return Flag.Int(name).pipe(
    Flag.withDescription(`${description}, ${range}`),
    Flag.filter(
      (value) => value >= min && value <= max,
      () => `Expected ${range}`,
    ),
  )
}

/** The flag with the length of a page. */
export const limit = (description: string, max: number, standard: number) =>
  Flag.withDefault(integer("limit", description, 1, max), standard)

const invalid = (option: string, value: string, expected: string) =>
  new CliError.InvalidValue({ option, value, expected, kind: "flag" })

/** A flag with a duration within bounds, in milliseconds. `unit`: what a bare number most likely counts. */
export const duration = (
  name: string,
  bounds: { readonly min: number; readonly max: number },
  unit?: Duration.Unit,
) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DURATION"),
    Flag.mapEffect((value) =>
      Effect.fromResult(
        Result.mapError(Duration.within(value, bounds, unit), ({ message }) =>
          invalid(name, value, message),
        ),
      ),
    ),
  )

const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether the calendar has the day. `Date` takes the 31st of a shorter month for the 1st of the next. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00Z`), (at) => DateTime.formatIsoDateUtc(at) === day)

/** The epoch milliseconds of a time that a person types. Without an offset it is one of the zone. */
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
        ? Effect.fail(invalid(name, value, "a date, or a date and time in ISO 8601 form"))
        : Effect.succeed(at)
    }),
  )

const variable = "COUNTERSIGN_COUNTRY"

const country = Config.String(variable).pipe(Config.withDefault("BD"))

/**
 * Reads the E.164 form. A number without a country code belongs to `COUNTERSIGN_COUNTRY`, or to Bangladesh, as in the
 * dashboard. Other text stays as it is, for the service to refuse.
 */
export const numberReader = Effect.gen(function* () {
  const home = yield* Effect.orDie(country)
  const parse = (given: string) => PhoneNumber.parseLenient(given, { country: home })
  yield* Effect.try({
    try: () => parse(""),
    catch: () => invalid(variable, home, 'the code of a country, such as "BD"'),
  })
  return (given: string): string => Result.getOrElse(parse(given), () => given)
})

const readNumber = (given: string) => Effect.map(numberReader, (read) => read(given))

export const phoneNumberFlag = (name: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.mapEffect(readNumber))

export const phoneNumberArgument = Argument.mapEffect(
  argument("phone-number", "The number: +8801712345678, or 01712345678"),
  readNumber,
)

export const times = {
  from: optionally(time("from", "Start of the period, inclusive")),
  to: optionally(time("to", "End of the period, inclusive")),
}

export const search = {
  phoneNumber: optionally(
    phoneNumberFlag("phone-number", "The recipient: +8801712345678, or 01712345678"),
  ),
  ...times,
  cursor: text("cursor", "The end of the previous page"),
  limit: limit("Rows in the page", 200, 50),
}
