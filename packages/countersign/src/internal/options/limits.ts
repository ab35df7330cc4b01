import { channels } from "@countersign/core/domain/Channel"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Limit from "@countersign/core/domain/Limits"
import * as Money from "@countersign/core/domain/Money"
import * as Organization from "@countersign/core/domain/Organization"
import type * as SlidingWindow from "@countersign/core/domain/SlidingWindow"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { CountersignOptions } from "../types/options.ts"
import { refuse } from "./check.ts"
import type * as Types from "../types/data.ts"

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

export const hostLimits = ({
  codeChannels = channels,
  limits: own = {},
  profile = "standard",
}: Pick<CountersignOptions, "codeChannels" | "limits" | "profile">): Limit.Limits => {
  if (profile !== "standard" && profile !== "nist") {
    return refuse('profile must be "standard" or "nist"')
  }
  if (codeChannels.length === 0 || !codeChannels.every((one) => channels.includes(one))) {
    return refuse('codeChannels must list "sms", "whatsapp" or both')
  }
  const overrides = overridesOf(own)
  if (Result.isFailure(overrides)) return refuse(`limits: ${overrides.failure.message}`)
  const [problem] = Organization.limitProblems(overrides.success)
  if (problem !== undefined) return refuse(`limits: ${problem.message}`)
  // The host's limits are those that an organization without limits of its own would set.
  const settings = { ...Organization.defaultSettings, limits: overrides.success }
  return Organization.limitsOf({ settings }, { ...Limit.defaults, profile, codeChannels })
}
