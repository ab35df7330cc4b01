/** The changes of an audit entry, field by field. */
import type { AuditRecord } from "../../api/types.ts"

export interface Change {
  /** The name of the field, or of the limit in `limits`. */
  readonly field: string
  /** `undefined`: it was not set. */
  readonly before: unknown
  readonly after: unknown
}

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields, with the limits as further fields instead of `limits`. */
const flat = (values: AuditRecord["before"]): Values => {
  const { limits, ...others } = values ?? {}
  return { ...others, ...(isValues(limits) ? limits : {}) }
}

/** By content: a store may return the members of an object in another order. */
const sorted = (_: string, value: unknown): unknown =>
  isValues(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one, sorted) === JSON.stringify(other, sorted)

/** A value that is empty before and after is no change, in every form in which a store writes it. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isValues(value) && Object.keys(value).length === 0)

/** The changed fields only. */
export const changesOf = ({ after, before }: Pick<AuditRecord, "after" | "before">) => {
  const [was, is] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field): Change => ({ field, before: was[field], after: is[field] }))
    .filter((one) => !isSame(one.before, one.after))
    .filter((one) => !isEmpty(one.before) || !isEmpty(one.after))
}
