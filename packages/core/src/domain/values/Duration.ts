/** Durations as people write them: `"60 seconds"`, `"5 minutes"`, `"90 days"`. Inside, durations are milliseconds. */
import * as EffectDuration from "effect/Duration"
import * as Result from "effect/Result"
import type { Duration } from "./DurationText.ts"
import * as FieldProblem from "./FieldProblem.ts"

export type { Duration }

/** A duration that services and layers accept: the text, or Effect's own `Duration`. */
export type Input = Duration | EffectDuration.Duration

export type Unit = "millisecond" | "second" | "minute" | "hour" | "day"

const lengths: Readonly<Record<Unit, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** The longest duration, 100 years, in milliseconds. */
export const maxMillis = 36_500 * lengths.day

const write = (count: number, unit: Unit): Duration =>
  count === 1 ? `${count} ${unit}` : `${count} ${unit}s`

const unitOf = (millis: number): Unit => {
  if (millis === 0) return "second"
  for (const unit of ["day", "hour", "minute"] as const) {
    if (millis % lengths[unit] === 0) return unit
  }
  return millis < lengths.second ? "millisecond" : "second"
}

/** Writes milliseconds in the longest unit without a fraction, or else in seconds: `"5 minutes"`, `"1.5 seconds"`. */
export const format = (millis: number): Duration => {
  const unit = unitOf(millis)
  return write(millis / lengths[unit], unit)
}

const pattern = /^(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day)s?$/

const isUnit = (text: string | undefined): text is Unit =>
  text !== undefined && Object.hasOwn(lengths, text)

/** Durations that other libraries read: `60s`, `5 min`, `90d`. */
const abbreviations: ReadonlyArray<readonly [RegExp, Unit]> = [
  [/^(?:ms|mil)/i, "millisecond"],
  [/^s/i, "second"],
  [/^m(?:i|$)/i, "minute"],
  [/^h/i, "hour"],
  [/^d/i, "day"],
]

/** The probable duration of a number: most libraries count seconds, or milliseconds, which are thousands. */
const meantBy = (count: number, unit: Unit | undefined): Duration => {
  if (unit !== undefined) return write(count, unit)
  return count >= 1_000 && count % 1_000 === 0 ? format(count) : write(count, "second")
}

/** The duration to write instead of a value that is no duration. */
const insteadOf = (value: unknown, unit: Unit | undefined): Duration => {
  const exact = exactMillis(value)
  // A duration without a place in rows: the nearest one that has one.
  if (exact > 0) return format(exact < 1 ? 1 : maxMillis)
  const text = typeof value === "number" ? String(value) : value
  const [, digits, name = ""] =
    typeof text === "string" ? (/^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? []) : []
  const known = abbreviations.find(([begin]) => begin.test(name))
  if (digits === undefined || (name !== "" && known === undefined)) {
    return write(unit === "day" ? 90 : 60, unit ?? "second")
  }
  return meantBy(Number(digits), known?.[1] ?? unit)
}

/**
 * Reads a duration as whole milliseconds, or fails with what to write instead. `unit` is the unit that a bare number
 * most likely has.
 */
export const toMillis = (
  value: unknown,
  unit?: Unit,
): Result.Result<number, FieldProblem.FieldProblem<"not_duration">> => {
  const millis = millisOf(value)
  return millis === undefined
    ? Result.fail(FieldProblem.make("not_duration", { write: insteadOf(value, unit) }))
    : Result.succeed(millis)
}

const millisOf = (value: unknown): number | undefined => {
  const exact = exactMillis(value)
  const millis = Math.round(exact)
  // A duration that is not zero stays one.
  const isLost = exact > 0 && millis === 0
  return millis >= 0 && millis <= maxMillis && !isLost ? millis : undefined
}

/** `NaN`: the value is no duration. */
const exactMillis = (value: unknown): number =>
  EffectDuration.isDuration(value) ? EffectDuration.toMillis(value) : textMillis(value)

/** Whether a value is the text of a duration. */
export const is = (value: unknown): value is Duration =>
  typeof value === "string" && millisOf(value) !== undefined

const textMillis = (value: unknown): number => {
  const [, digits, unit] = typeof value === "string" ? (pattern.exec(value) ?? []) : []
  return isUnit(unit) ? Number(digits) * lengths[unit] : Number.NaN
}

/** As `toMillis`, in whole seconds. */
export const toSeconds = (
  value: unknown,
): Result.Result<number, FieldProblem.FieldProblem<"not_duration">> =>
  Result.flatMap(toMillis(value), (millis) => {
    const seconds = Math.ceil(millis / 1_000)
    return millis === seconds * 1_000
      ? Result.succeed(seconds)
      : Result.fail(FieldProblem.make("not_duration", { write: format(seconds * 1_000) }))
  })

/** As `within`, for an option. Throws a `RangeError` that names it. */
export const millisOfOption = (
  name: string,
  value: Input,
  bounds: { readonly min: number; readonly max: number } = { min: 0, max: maxMillis },
): number =>
  Result.getOrThrowWith(
    within(value, bounds),
    ({ message }) => new RangeError(`${name} ${message}`),
  )

/** As `toMillis`, within bounds in milliseconds. */
export const within = (
  value: unknown,
  { max, min }: { readonly min: number; readonly max: number },
  unit?: Unit,
): Result.Result<number, FieldProblem.FieldProblem<"not_duration" | "duration_out_of_range">> =>
  Result.flatMap(toMillis(value, unit), (millis) =>
    millis >= min && millis <= max
      ? Result.succeed(millis)
      : Result.fail(
          FieldProblem.make("duration_out_of_range", { min: format(min), max: format(max) }),
        ),
  )
