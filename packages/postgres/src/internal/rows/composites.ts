/**
 * Encodes rows as the text of an array of a composite type: `{"(a,b)","(c,d)"}`.
 *
 * One parameter carries all rows of a kind, and the server parses it at once. With a parameter for each column,
 * both the server and this process take twice as long.
 */

/**
 * A field of a row in an array. The encoders throw for a value that could not be read back unchanged, because
 * the callers' types are not checked at run time, and PostgreSQL would accept the text of any value.
 */
export type Field = string

/** Encodes any text. The server refuses NUL, which PostgreSQL does not support. */
export const text = (value: string | null): Field => {
  if (value === null) return ""
  if (typeof value !== "string") throw new TypeError("A text column was given something else")
  return `\\"${special.test(value) ? escape(value) : value}\\"`
}

/** Encodes a text of a closed set. */
export const oneOf = <A extends string>(value: A, values: ReadonlyArray<A>): Field => {
  if (!values.includes(value)) throw new TypeError(`Expected one of ${values.join(", ")}`)
  return text(value)
}

/** Encodes a safe integer. */
export const integer = (value: number | null): Field => {
  if (value === null) return ""
  if (!Number.isSafeInteger(value))
    throw new TypeError("An integer column was given something else")
  return String(value)
}

/** Encodes a list of integers, for an `int8[]`. */
export const integers = (values: ReadonlyArray<number>): Field => `\\"{${values.join(",")}}\\"`

/** Encodes bytes, for a `bytea`. */
export const bytes = (value: Uint8Array): Field => {
  let hex = ""
  for (const byte of value) hex += hexOf[byte]
  return `\\"\\\\\\\\x${hex}\\"`
}

/** Encodes the rows, each with its fields in the order of the type. */
export const array = <A>(
  rows: ReadonlyArray<A>,
  fields: (row: A) => ReadonlyArray<Field>,
): string => {
  let all = ""
  for (const row of rows) all += `${all === "" ? "" : ","}"(${fields(row).join(",")})"`
  return `{${all}}`
}

const special = /["\\]/

// Escapes twice: for the row, and for the array that contains the row.
const escape = (value: string): string =>
  value.replace(/["\\]/g, (character) => (character === '"' ? '\\\\\\"' : "\\\\\\\\"))

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
