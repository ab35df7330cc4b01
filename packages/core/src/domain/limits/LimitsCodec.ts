/** Converts limits between the engine, whose amounts and durations are numbers, and plain data. */
import { isObject } from "../values/internal/checks.ts"
import * as Duration from "../values/Duration.ts"
import * as FieldProblem from "../values/FieldProblem.ts"
import * as Money from "../values/Money.ts"
import * as LimitOverrides from "./LimitOverrides.ts"
import type * as Limits from "./Limits.ts"
import * as LimitTable from "./LimitTable.ts"
import type * as Plain from "./LimitValues.ts"
import type * as SlidingWindow from "./SlidingWindow.ts"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

interface PlainValues {
  readonly window: Plain.WindowLimit
  readonly count: number
  readonly money: string
  readonly duration: Duration.Duration
  readonly range: Plain.Range
  readonly durationRange: Plain.DurationRange
  readonly cap: Omit<Plain.Range, "min">
}

type Table = typeof LimitTable.plainTable

/** Limits as plain data. `undefined`: the default. `null`: no limit. */
export type PlainLimits = {
  readonly [Name in LimitTable.PlainName]?:
    | PlainValues[Table[Name]["kind"]]
    | (Table[Name]["canBeNone"] extends true ? null : never)
    | undefined
}

type Parsed = Result.Result<unknown, FieldProblem.FieldProblem>

const ofDuration =
  (read: typeof Duration.toSeconds) =>
  (limit: string, value: unknown): Parsed =>
    Result.mapError(read(value), ({ params }) =>
      FieldProblem.make("limit_not_duration", { limit, ...params }),
    )

const millisOf = ofDuration(Duration.toMillis)

const secondsOf = ofDuration(Duration.toSeconds)

const limitOf = (path: string, { max, per }: Readonly<Record<string, unknown>>): Parsed =>
  Result.map(millisOf(`${path}.per`, per), (windowMillis) => ({ max, windowMillis }))

const windowOf = (name: string, limit: unknown): Parsed => {
  const all: ReadonlyArray<unknown> = Array.isArray(limit) ? limit : [limit]
  // The list that `problems` refuses.
  if (all.length === 0 || !all.every(isObject)) return Result.succeed([])
  const [first = {}] = all
  return Array.isArray(limit)
    ? Result.all(all.map((one, index) => limitOf(`${name}.${index}`, one)))
    : limitOf(name, first)
}

const amountOf = (limit: string, amount: unknown): Parsed =>
  typeof amount === "string"
    ? Result.mapError(Money.fromDecimal(amount), ({ params }) =>
        FieldProblem.make("limit_not_decimal", { limit, ...params }),
      )
    : Result.fail(FieldProblem.make("limit_not_string", { limit }))

const durationsOf = (name: string, range: unknown): Parsed =>
  isObject(range)
    ? Result.all({
        min: secondsOf(`${name}.min`, range["min"]),
        max: secondsOf(`${name}.max`, range["max"]),
        default: secondsOf(`${name}.default`, range["default"]),
      })
    : Result.fail(FieldProblem.make("limit_not_object", { limit: name }))

/** What only `problems` judges. */
const unchanged = (_name: string, value: unknown): Parsed => Result.succeed(value)

const readers: {
  readonly [K in LimitTable.Kind]: (name: string, value: unknown) => Parsed
} = {
  window: windowOf,
  count: unchanged,
  money: amountOf,
  duration: millisOf,
  range: unchanged,
  durationRange: durationsOf,
  cap: unchanged,
}

/**
 * Removes members that are `undefined`, and fails with the first problem of a name, an amount or a duration.
 * `LimitOverrides.problems` finds the others.
 */
export const overridesOf = (
  own: PlainLimits,
): Result.Result<LimitOverrides.LimitOverrides, FieldProblem.FieldProblem> => {
  const { names, plainTable } = LimitTable
  if (!Object.keys(own).every((name) => Object.hasOwn(plainTable, name))) {
    return Result.fail(FieldProblem.make("unknown_option", { options: names }))
  }
  const read = names.flatMap((name) => {
    const value = own[name]
    const { canBeNone, kind } = plainTable[name]
    if (value === undefined) return []
    const parsed = value === null && canBeNone ? Result.succeed(null) : readers[kind](name, value)
    return [Result.map(parsed, (result) => [LimitTable.coreName(name), result])]
  })
  return Result.map(Result.all(read), (entries) => Object.fromEntries(entries))
}

/** The limits of a host that sets these. The others are those of `base`. */
export const hostLimits = (
  own: PlainLimits,
  base: Limits.Limits,
): Result.Result<Limits.Limits, FieldProblem.FieldProblem> =>
  Result.flatMap(overridesOf(own), (limits) => {
    const [problem] = LimitOverrides.problems(limits)
    // The host's limits are those that an organization without limits of its own would set.
    return problem === undefined
      ? Result.succeed(LimitOverrides.apply(limits, base))
      : Result.fail(problem)
  })

const plainLimit = ({ max, windowMillis }: SlidingWindow.Limit): Plain.Limit => ({
  max,
  per: Duration.format(windowMillis),
})

const plainWindow = (limit: SlidingWindow.WindowLimit): Plain.WindowLimit =>
  "max" in limit ? plainLimit(limit) : limit.map(plainLimit)

const plainDurations = (range: Plain.Range): Plain.DurationRange =>
  Record.map(range, (seconds) => Duration.format(seconds * 1_000))

/** The limits as plain data. */
export const plainLimits = (own: LimitOverrides.LimitOverrides): PlainLimits => {
  const { namesOf, plainName } = LimitTable
  const write = <Name extends LimitTable.LimitName>(
    limits: ReadonlyArray<Name>,
    convert: (value: NonNullable<LimitOverrides.LimitOverrides[Name]>) => unknown,
  ): ReadonlyArray<ReadonlyArray<unknown>> =>
    limits.flatMap((name) => {
      const { [name]: value } = own
      if (value === undefined) return []
      return [[plainName(name), value === null ? null : convert(value)]]
    })
  const same = [...namesOf("count"), ...namesOf("range"), ...namesOf("cap")]
  return Object.fromEntries([
    ...write(namesOf("window"), plainWindow),
    ...write(namesOf("money"), Money.format),
    ...write(namesOf("duration"), Duration.format),
    ...write(namesOf("durationRange"), plainDurations),
    ...write(same, (value) => value),
  ])
}
