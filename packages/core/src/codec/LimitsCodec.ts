/**
 * Converts limits of an organization between core, whose amounts and durations are numbers, and plain data.
 */
import * as Duration from "../domain/values/Duration.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Limits from "../domain/limits/Limits.ts"
import * as Money from "../domain/values/Money.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import type * as SlidingWindow from "../domain/limits/SlidingWindow.ts"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type * as Types from "./Data.ts"

type Parsed<A> = Result.Result<A, FieldProblem.FieldProblem>

const of =
  (read: typeof Duration.toSeconds) =>
  (limit: string, value: unknown): Parsed<number> =>
    Result.mapError(read(value), ({ params }) =>
      FieldProblem.make("limit_not_duration", { limit, ...params }),
    )

const millisOf = of(Duration.toMillis)

const secondsOf = of(Duration.toSeconds)

/** A value that is not an object passes, because core refuses it. */
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const limitOf = (path: string, limit: Types.Limit): Parsed<SlidingWindow.Limit> =>
  Result.map(millisOf(`${path}.per`, limit.per), (windowMillis) => ({
    max: limit.max,
    windowMillis,
  }))

const windowLimitOf = (
  name: string,
  limit: Types.WindowLimit | null | undefined,
): Parsed<SlidingWindow.WindowLimit | null | undefined> => {
  if (limit === undefined || limit === null) return Result.succeed(limit)
  const all = isList<Types.Limit>(limit) ? limit : [limit]
  if (all.length === 0 || !all.every(isObject)) return Result.succeed([])
  return isList<Types.Limit>(limit)
    ? Result.all(limit.map((one, index) => limitOf(`${name}.${index}`, one)))
    : limitOf(name, limit)
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const amountOf = (
  limit: string,
  amount: string | null | undefined,
): Parsed<Money.Money | null | undefined> => {
  if (amount === undefined || amount === null) return Result.succeed(amount)
  if (typeof amount !== "string") {
    return Result.fail(FieldProblem.make("limit_not_string", { limit }))
  }
  return Result.mapError(Money.fromDecimal(amount), ({ params }) =>
    FieldProblem.make("limit_not_decimal", { limit, ...params }),
  )
}

const rangeOf = (
  name: string,
  range: Types.DurationRange | undefined,
): Parsed<Types.Range | undefined> => {
  if (range === undefined) return Result.succeed(range)
  if (!isObject(range)) return Result.fail(FieldProblem.make("limit_not_object", { limit: name }))
  return Result.all({
    min: secondsOf(`${name}.min`, range.min),
    max: secondsOf(`${name}.max`, range.max),
    default: secondsOf(`${name}.default`, range.default),
  })
}

/** Removes members that are `undefined`, and fails with the first problem of a name, an amount or a duration. */
export const overridesOf = (own: Types.Limits): Parsed<Organization.LimitOverrides> => {
  if (!Object.keys(own).every((name) => names.some((known) => known === name))) {
    return Result.fail(FieldProblem.make("unknown_option", { options: names }))
  }
  const { expiresIn, resendCooldown, spendPerDay, ...rest } = own
  return Result.map(
    Result.all({
      spendPerDay: amountOf("spendPerDay", spendPerDay),
      resendCooldownMillis:
        resendCooldown === undefined
          ? Result.succeed(undefined)
          : millisOf("resendCooldown", resendCooldown),
      expirySeconds: rangeOf("expiresIn", expiresIn),
      ...Object.fromEntries(
        Organization.windowLimits.map((name) => [name, windowLimitOf(name, own[name])]),
      ),
    }),
    (parsed): Organization.LimitOverrides =>
      Object.fromEntries(
        Object.entries({ ...rest, ...parsed }).filter(([, value]) => value !== undefined),
      ),
  )
}

/** The limits of a host that sets these. The others are those of `base`. */
export const hostLimits = (own: Types.Limits, base: Limits.Limits): Parsed<Limits.Limits> =>
  Result.flatMap(overridesOf(own), (limits) => {
    const [problem] = Organization.limitProblems(limits)
    if (problem !== undefined) return Result.fail(problem)
    // The host's limits are those that an organization without limits of its own would set.
    const settings = { ...Organization.defaultSettings, limits }
    return Result.succeed(Organization.limitsOf({ settings }, base))
  })

/** Sets limits in every engine that is built over this layer. Throws a `RangeError` if one cannot be used. */
export const layer = (own: Types.Limits): Layer.Layer<never> =>
  Layer.succeed(
    Limits.Limits,
    Result.getOrThrowWith(
      hostLimits(own, Limits.defaults),
      ({ message }) => new RangeError(`limits: ${message}`),
    ),
  )

const plainLimit = ({ max, windowMillis }: SlidingWindow.Limit): Types.Limit => ({
  max,
  per: Duration.format(windowMillis),
})

const plainWindow = (limit: SlidingWindow.WindowLimit): Types.WindowLimit =>
  isList<SlidingWindow.Limit>(limit) ? limit.map(plainLimit) : plainLimit(limit)

/** The limits as plain data. */
export const plainLimits = ({
  expirySeconds,
  resendCooldownMillis,
  spendPerDay,
  ...own
}: Organization.LimitOverrides): Types.Limits => ({
  ...Struct.omit(own, Organization.windowLimits),
  ...plainWindows(own),
  ...(spendPerDay !== undefined && {
    spendPerDay: spendPerDay === null ? null : Money.format(spendPerDay),
  }),
  ...(resendCooldownMillis !== undefined && {
    resendCooldown: Duration.format(resendCooldownMillis),
  }),
  ...(expirySeconds !== undefined && {
    expiresIn: {
      min: Duration.format(expirySeconds.min * 1_000),
      max: Duration.format(expirySeconds.max * 1_000),
      default: Duration.format(expirySeconds.default * 1_000),
    },
  }),
})

type Windows<A> = Pick<A, Extract<keyof A, (typeof Organization.windowLimits)[number]>>

const plainWindows = (own: Windows<Organization.LimitOverrides>): Windows<Types.Limits> =>
  Object.fromEntries(
    Organization.windowLimits.flatMap((name) => {
      const { [name]: limit } = own
      if (limit === undefined) return []
      return [[name, limit === null ? null : plainWindow(limit)]]
    }),
  )

/** The name of a limit in core. */
export const coreName = (name: keyof Types.Limits): keyof Organization.LimitOverrides => {
  if (name === "resendCooldown") return "resendCooldownMillis"
  return name === "expiresIn" ? "expirySeconds" : name
}

const plainName = (name: keyof Organization.LimitOverrides): keyof Types.Limits => {
  if (name === "resendCooldownMillis") return "resendCooldown"
  return name === "expirySeconds" ? "expiresIn" : name
}

/** The names of the limits that an organization may have of its own. */
export const names: ReadonlyArray<keyof Types.Limits> = Struct.keys(Limits.defaults).flatMap(
  (name) => (name === "profile" || name === "codeChannels" ? [] : [plainName(name)]),
)
