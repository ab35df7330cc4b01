/**
 * Converts limits of an organization between core, whose amounts and intervals are numbers, and plain data.
 */
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as Money from "../domain/Money.ts"
import * as Organization from "../domain/Organization.ts"
import type * as SlidingWindow from "../domain/SlidingWindow.ts"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Types from "./Data.ts"

type Parsed<A> = Result.Result<A, FieldProblem.FieldProblem>

/** The limit with its interval in milliseconds. A value that is no limit passes: core refuses it. */
const limitOf = (path: string, limit: Types.Limit): Parsed<SlidingWindow.Limit> => {
  if (typeof limit !== "object" || limit === null || !("per" in limit)) return Result.succeed(limit)
  const span = Option.map(Duration.fromInput(limit.per), Duration.toMillis)
  if (Option.isNone(span) || "windowMillis" in limit) {
    return Result.fail(FieldProblem.make("limit_not_span", { limit: `${path}.per` }))
  }
  return Result.succeed({ max: limit.max, windowMillis: span.value })
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const windowLimitOf = (
  name: string,
  limit: Types.WindowLimit | null | undefined,
): Parsed<SlidingWindow.WindowLimit | null | undefined> => {
  if (limit === undefined || limit === null) return Result.succeed(limit)
  if (!isList<Types.Limit>(limit)) return limitOf(name, limit)
  return Result.all(limit.map((one, index) => limitOf(`${name}.${index}`, one)))
}

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

/** Removes members that are `undefined`, and fails with the first problem of an amount or an interval. */
export const overridesOf = (own: Types.Limits): Parsed<Organization.LimitOverrides> =>
  Result.map(
    Result.all({
      spendPerDay: amountOf("spendPerDay", own.spendPerDay),
      ...Object.fromEntries(
        Organization.windowLimits.map((name) => [name, windowLimitOf(name, own[name])]),
      ),
    }),
    (parsed): Organization.LimitOverrides =>
      Object.fromEntries(
        Object.entries({ ...own, ...parsed }).filter(([, value]) => value !== undefined),
      ),
  )

export const plainLimits = ({ spendPerDay, ...own }: Organization.LimitOverrides): Types.Limits =>
  spendPerDay === undefined
    ? own
    : { ...own, spendPerDay: spendPerDay === null ? null : Money.format(spendPerDay) }
