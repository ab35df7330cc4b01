/** The limits that an organization has of its own, and limits as plain data. */
import * as Checks from "../values/internal/checks.ts"
import * as Duration from "../values/Duration.ts"
import * as FieldProblem from "../values/FieldProblem.ts"
import * as Money from "../values/Money.ts"
import { bounds, type Limits, nist } from "./Limits.ts"
import * as LimitTable from "./LimitTable.ts"
import type * as Plain from "./LimitValues.ts"
import * as SlidingWindow from "./SlidingWindow.ts"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

/** The limits that differ from the limits of the host. `null` removes a limit. */
export type LimitOverrides = {
  readonly [Name in LimitTable.LimitName]?: LimitTable.ValueOf<Name, null>
}

const applied = new WeakMap<LimitOverrides, { readonly host: Limits; readonly limits: Limits }>()

/**
 * The limits in force: the organization's own limit if it has one, otherwise the host's. Computed once for the settings
 * of an organization, because every call needs them.
 */
export const apply = (own: LimitOverrides, host: Limits): Limits => {
  const known = applied.get(own)
  if (known?.host === host) return known.limits
  const limits = inForce(own, host)
  applied.set(own, { host, limits })
  return limits
}

const inForce = (own: LimitOverrides, host: Limits): Limits => {
  const set = Object.entries(own)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value ?? undefined])
  const limits: Limits = { ...host, ...Object.fromEntries(set) }
  return host.profile === "nist" ? nist(limits) : limits
}

/** The problem of a number. `unitMillis`: the number is a duration in this unit. */
const within = (
  limit: string,
  value: number,
  { max, min }: LimitTable.Bounds,
  unitMillis?: number,
): ReadonlyArray<FieldProblem.FieldProblem> => {
  if (Number.isInteger(value) && value >= min && value <= max) return []
  if (unitMillis === undefined)
    return [FieldProblem.make("limit_out_of_range", { limit, min, max })]
  const text = (count: number) => Duration.format(count * unitMillis)
  const range = { limit, min: text(min), max: text(max) }
  return [FieldProblem.make("limit_duration_out_of_range", range)]
}

type RangeOrCap = Partial<Plain.Range> & Omit<Plain.Range, "min">

/** The problems of limits, in which a caller in JavaScript may have put any value. */
export const problems = (own: LimitOverrides): ReadonlyArray<FieldProblem.FieldProblem> => {
  const found: Array<FieldProblem.FieldProblem> = []
  for (const name of LimitTable.namesOf("window")) {
    const limit = own[name]
    if (limit === undefined || limit === null) continue
    const all = Checks.isObject(limit) ? SlidingWindow.limitsOf(limit) : []
    const { max, min } = bounds.windowLimits
    if (all.length < min || all.length > max || !all.every(Checks.isObject)) {
      found.push(FieldProblem.make("limit_not_window", { limit: name, min, max }))
      continue
    }
    for (const [index, one] of all.entries()) {
      const path = one === limit ? name : `${name}.${index}`
      found.push(
        ...within(`${path}.max`, one.max, bounds[name]),
        ...within(`${path}.per`, one.windowMillis, bounds.windowMillis, 1),
      )
    }
  }
  for (const name of [...LimitTable.namesOf("money"), ...LimitTable.namesOf("count")]) {
    const value = own[name]
    if (value === undefined || (value === null && LimitTable.limitTable[name].canBeNone)) continue
    found.push(...within(name, value ?? Number.NaN, bounds[name]))
  }
  for (const name of LimitTable.namesOf("duration")) {
    const value = own[name]
    if (value !== undefined)
      found.push(...within(LimitTable.plainName(name), value, bounds[name], 1))
  }
  for (const name of [
    ...LimitTable.namesOf("durationRange"),
    ...LimitTable.namesOf("range"),
    ...LimitTable.namesOf("cap"),
  ]) {
    const range: RangeOrCap | undefined = own[name]
    if (range === undefined) continue
    const limit = LimitTable.plainName(name)
    if (!Checks.isObject(range)) {
      found.push(FieldProblem.make("limit_not_object", { limit }))
      continue
    }
    const { kind } = LimitTable.limitTable[name]
    const unit = kind === "durationRange" ? 1_000 : undefined
    const { max, min = kind === "cap" ? bounds[name].min : Number.NaN } = range
    found.push(
      ...within(`${limit}.max`, max, bounds[name], unit),
      ...within(
        `${limit}.min`,
        min,
        { min: bounds[name].min, max: kind === "cap" ? min : max },
        unit,
      ),
      ...within(`${limit}.default`, range.default, { min, max }, unit),
    )
  }
  return found
}

/** The limits as the audit shows them: amounts are decimals. */
export const audited = (own: LimitOverrides): object => ({
  ...own,
  ...Object.fromEntries(
    LimitTable.namesOf("money").flatMap((name) => {
      const { [name]: amount = null } = own
      return amount === null ? [] : [[name, Money.format(amount)]]
    }),
  ),
})

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
  if (all.length === 0 || !all.every(Checks.isObject)) return Result.succeed([])
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
  Checks.isObject(range)
    ? Result.all({
        min: secondsOf(`${name}.min`, range["min"]),
        max: secondsOf(`${name}.max`, range["max"]),
        default: secondsOf(`${name}.default`, range["default"]),
      })
    : Result.fail(FieldProblem.make("limit_not_object", { limit: name }))

/** A value that only `problems` judges. */
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
 * `problems` finds the others.
 */
export const overridesOf = (
  own: PlainLimits,
): Result.Result<LimitOverrides, FieldProblem.FieldProblem> => {
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

/** The limits of a host that sets `own`. The others come from `base`. */
export const hostLimits = (
  own: PlainLimits,
  base: Limits,
): Result.Result<Limits, FieldProblem.FieldProblem> =>
  Result.flatMap(overridesOf(own), (limits) => {
    const [problem] = problems(limits)
    // The host's limits are those that an organization without limits of its own would set.
    return problem === undefined ? Result.succeed(apply(limits, base)) : Result.fail(problem)
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
export const plainLimits = (own: LimitOverrides): PlainLimits => {
  const { namesOf, plainName } = LimitTable
  const write = <Name extends LimitTable.LimitName>(
    limits: ReadonlyArray<Name>,
    convert: (value: NonNullable<LimitOverrides[Name]>) => unknown,
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
