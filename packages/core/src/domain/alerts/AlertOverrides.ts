/** The bounds of alerts that an organization has of its own, and bounds as plain data. */
import * as Result from "effect/Result"
import * as FieldProblem from "../values/FieldProblem.ts"
import * as Money from "../values/Money.ts"
import { type AlertName, alertTable, names } from "./AlertTable.ts"

/** The bounds that differ from the defaults. `null` switches an alert off. */
export type AlertOverrides = { readonly [Name in AlertName]?: number | null }

/** The bounds in force; `null`: the alert is off. */
export type AlertBounds = { readonly [Name in AlertName]: number | null }

/** The bound in force; `null`: the alert is off. */
export const boundOf = (own: AlertOverrides, name: AlertName): number | null => {
  const { [name]: bound } = own
  return bound === undefined ? alertTable[name].default : bound
}

export const apply = (own: AlertOverrides): AlertBounds => ({
  delivered: boundOf(own, "delivered"),
  verified: boundOf(own, "verified"),
  spend: boundOf(own, "spend"),
  webhooks: boundOf(own, "webhooks"),
})

/** The problems of bounds, in which a caller in JavaScript may have put any value. */
export const problems = (own: AlertOverrides): ReadonlyArray<FieldProblem.FieldProblem> =>
  names.flatMap((name) => {
    const { [name]: bound = null } = own
    const { bounds } = alertTable[name]
    if (bound === null) return []
    return Number.isInteger(bound) && bound >= bounds.min && bound <= bounds.max
      ? []
      : [FieldProblem.make("limit_out_of_range", { limit: name, ...bounds })]
  })

/** A bound or a value of an alert as callers have it: a decimal for an amount. */
export const textOf = (name: AlertName, value: number): string =>
  alertTable[name].kind === "money" ? Money.format(Money.fromUnits(value)) : String(value)

/** Bounds as plain data. `undefined`: the default. `null`: off. */
export interface PlainAlerts {
  readonly delivered?: number | null | undefined
  readonly verified?: number | null | undefined
  readonly spend?: string | null | undefined
  readonly webhooks?: number | null | undefined
}

type Parsed = Result.Result<AlertOverrides, FieldProblem.FieldProblem>

/** Removes members that are `undefined`. `problems` finds what is wrong with numbers. */
export const overridesOf = ({ spend, ...others }: PlainAlerts): Parsed => {
  if (!Object.keys(others).every((name) => Object.hasOwn(alertTable, name))) {
    return Result.fail(FieldProblem.make("unknown_option", { options: names }))
  }
  const given = Object.entries(others).filter(([, bound]) => bound !== undefined)
  const own: AlertOverrides = Object.fromEntries(given)
  if (spend === undefined) return Result.succeed(own)
  if (spend === null) return Result.succeed({ ...own, spend })
  if (typeof spend !== "string") {
    return Result.fail(FieldProblem.make("limit_not_string", { limit: "spend" }))
  }
  return Result.mapBoth(Money.fromDecimal(spend), {
    onSuccess: (amount) => ({ ...own, spend: amount }),
    onFailure: ({ params }) =>
      FieldProblem.make("limit_not_decimal", { limit: "spend", ...params }),
  })
}

/** The bounds as plain data. */
export const plainAlerts = ({ spend, ...others }: AlertOverrides): PlainAlerts => ({
  ...others,
  ...(spend !== undefined && { spend: spend === null ? null : textOf("spend", spend) }),
})
