/** The limits that an organization has of its own. */
import * as Checks from "../values/internal/checks.ts"
import * as Duration from "../values/Duration.ts"
import * as FieldProblem from "../values/FieldProblem.ts"
import * as Money from "../values/Money.ts"
import { bounds, type Limits, nist } from "./Limits.ts"
import * as LimitTable from "./LimitTable.ts"
import type { Range } from "./LimitValues.ts"
import { limitsOf } from "./SlidingWindow.ts"

/** The limits that differ from those of the host. `null` removes a limit. */
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

type RangeOrCap = Partial<Range> & Omit<Range, "min">

/** The problems of limits, in which a caller in JavaScript may have put any value. */
export const problems = (own: LimitOverrides): ReadonlyArray<FieldProblem.FieldProblem> => {
  const found: Array<FieldProblem.FieldProblem> = []
  for (const name of LimitTable.namesOf("window")) {
    const limit = own[name]
    if (limit === undefined || limit === null) continue
    const all = Checks.isObject(limit) ? limitsOf(limit) : []
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
