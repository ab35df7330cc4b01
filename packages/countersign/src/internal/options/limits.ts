import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Limit from "@countersign/core/domain/Limits"
import * as Money from "@countersign/core/domain/Money"
import * as Organization from "@countersign/core/domain/Organization"
import * as Result from "effect/Result"
import { refuse } from "./check.ts"
import type { Limits } from "../types/data.ts"

/** Removes members that are `undefined`, and fails with the problem if an amount is invalid. */
export const overridesOf = ({
  spendPerDay,
  ...own
}: Limits): Result.Result<Organization.LimitOverrides, FieldProblem.FieldProblem> => {
  const others: Organization.LimitOverrides = Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined),
  )
  if (spendPerDay === undefined) return Result.succeed(others)
  if (spendPerDay === null) return Result.succeed({ ...others, spendPerDay })
  const limit = "spendPerDay"
  if (typeof spendPerDay !== "string") {
    return Result.fail(FieldProblem.make("limit_not_string", { limit }))
  }
  return Result.mapBoth(Money.fromDecimal(spendPerDay), {
    onFailure: ({ params }) => FieldProblem.make("limit_not_decimal", { limit, ...params }),
    onSuccess: (amount) => ({ ...others, spendPerDay: amount }),
  })
}

export const plainLimits = ({ spendPerDay, ...own }: Organization.LimitOverrides): Limits =>
  spendPerDay === undefined
    ? own
    : { ...own, spendPerDay: spendPerDay === null ? null : Money.format(spendPerDay) }

export const hostLimits = (own: Limits = {}): Limit.Limits => {
  const overrides = overridesOf(own)
  if (Result.isFailure(overrides)) return refuse(`limits: ${overrides.failure.message}`)
  const [problem] = Organization.limitProblems(overrides.success)
  if (problem !== undefined) return refuse(`limits: ${problem.message}`)
  // The host's limits are those that an organization without limits of its own would set.
  const settings = { ...Organization.defaultSettings, limits: overrides.success }
  return Organization.limitsOf({ settings }, Limit.defaults)
}
