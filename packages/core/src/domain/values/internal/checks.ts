/** Checks of untyped values. A problem names the field and its requirement, and never quotes the value. */

import * as FieldProblem from "../FieldProblem.ts"

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null

/** Whether a value is text that every store can keep. */
export const isStorable = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && !value.includes("\u0000")

/** The requirement of a field, as the end of a sentence, and whether a value meets it. */
export interface Check {
  readonly must: string
  readonly holds: (value: unknown) => boolean
}

export type Checks<A> = { readonly [K in keyof A]-?: Check }

export const text: Check = {
  must: "must be a text",
  holds: (value) => typeof value === "string",
}

export const id: Check = {
  must: "must be a text that is not empty",
  holds: (value) => typeof value === "string" && value !== "",
}

export const name: Check = {
  must: "must be a text that is not empty, of well-formed Unicode without NUL characters",
  holds: (value) => isStorable(value) && value !== "",
}

export const boolean: Check = {
  must: "must be true or false",
  holds: (value) => typeof value === "boolean",
}

export const wholeNumber = (min: number): Check => ({
  must: `must be a whole number from ${min} on`,
  holds: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= min,
})

export const duration: Check = {
  must: "must be a number of milliseconds from 0 on",
  holds: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
}

export const unboundedDuration: Check = {
  must: "must be a number of milliseconds from 0 on, or Infinity",
  holds: (value) => value === Infinity || duration.holds(value),
}

export const oneOf = (values: ReadonlyArray<string>): Check => {
  const all = new Set<unknown>(values)
  return { must: `must be one of ${values.join(", ")}`, holds: (value) => all.has(value) }
}

export const optional = ({ holds, must }: Check): Check => ({
  must: `${must}, or undefined`,
  holds: (value) => value === undefined || holds(value),
})

/** The problem of the first field that fails its check; `undefined` if all fields pass. */
export const problemIn = (
  value: Fields,
  checks: Iterable<readonly [field: string, check: Check]>,
): string | undefined => {
  for (const [field, { holds, must }] of checks) {
    if (!holds(value[field])) return `${field} ${must}`
  }
  return undefined
}

/** The problem of a text with a length in UTF-16 units; `undefined` if it can be stored. */
export const textProblem = (
  value: unknown,
  maxLength: number,
): FieldProblem.FieldProblem | undefined => {
  if (typeof value !== "string") return FieldProblem.make("not_string", {})
  if (value.length < 1 || value.length > maxLength) {
    return FieldProblem.make("length_out_of_range", { min: 1, max: maxLength })
  }
  return isStorable(value) ? undefined : FieldProblem.make("malformed_text", {})
}
