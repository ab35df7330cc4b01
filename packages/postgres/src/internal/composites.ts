/**
 * Rows as the text of an array of a composite type: `{"(a,b)","(c,d)"}`.
 *
 * One parameter carries all rows of a kind, and the server takes it apart in one go; with a parameter for
 * each column it works twice as long, and so does this side.
 */

/**
 * A field as it stands inside a row inside an array. A value that could not be read back as it is throws:
 * the caller's types do not hold everywhere, and PostgreSQL would take the text of anything.
 */
export type Field = string

/** Text of any kind. A NUL, which PostgreSQL has no place for, is refused by the server. */
export const text = (value: string | null): Field => {
  if (value === null) return ""
  if (typeof value !== "string") throw new TypeError("A text column was given something else")
  return `\\"${special.test(value) ? escape(value) : value}\\"`
}

/** Text of a closed set. */
export const oneOf = <A extends string>(value: A, values: ReadonlyArray<A>): Field => {
  if (!values.includes(value)) throw new TypeError(`Expected one of ${values.join(", ")}`)
  return text(value)
}

/** A safe integer. */
export const integer = (value: number | null): Field => {
  if (value === null) return ""
  if (!Number.isSafeInteger(value))
    throw new TypeError("An integer column was given something else")
  return String(value)
}

/** A list of integers, for an `int8[]`. */
export const integers = (values: ReadonlyArray<number>): Field => `\\"{${values.join(",")}}\\"`

/** Bytes, for a `bytea`. */
export const bytes = (value: Uint8Array): Field => {
  let hex = ""
  for (const byte of value) hex += hexOf[byte]
  return `\\"\\\\\\\\x${hex}\\"`
}

/** The rows, each with its fields in the order of the type. */
export const array = <A>(
  rows: ReadonlyArray<A>,
  fields: (row: A) => ReadonlyArray<Field>,
): string => {
  let all = ""
  for (const row of rows) all += `${all === "" ? "" : ","}"(${fields(row).join(",")})"`
  return `{${all}}`
}

const special = /["\\]/

// Once for the row, once for the array that it stands in.
const escape = (value: string): string =>
  value.replace(/["\\]/g, (character) => (character === '"' ? '\\\\\\"' : "\\\\\\\\"))

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
