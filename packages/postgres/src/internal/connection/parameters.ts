/** Parameters of statements in PostgreSQL's binary format. */
import { OID } from "@effect/sql-pg/PgTypes"
import { Bytes } from "../rows/bytes.ts"
import { beginArray } from "../rows/columns.ts"

/** A value in the binary format. */
export interface Encoded {
  /** The server's number of the type. */
  readonly oid: number
  readonly bytes: Uint8Array
}

/** A string or `null` is a `text`, a number or `undefined` an `int8`, and an array a `text[]`. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | ReadonlyArray<string | null>
  | Encoded

const isList = (value: object): value is ReadonlyArray<string | null> => Array.isArray(value)

/** The server's number of a value's type. */
export const oidOf = (value: Value): number => {
  if (typeof value === "string" || value === null) return OID.text
  if (typeof value === "number" || value === undefined) return OID.int8
  if (typeof value === "boolean") return OID.bool
  return isList(value) ? OID.textArray : value.oid
}

/** Writes a value after its length. Throws for a number that is not a safe integer. */
export const write = (bytes: Bytes, value: Value): void => {
  if (value === null || value === undefined) return bytes.int32(-1)
  const start = bytes.begin()
  if (typeof value === "string") bytes.utf8(value)
  else if (typeof value === "number") bytes.int64(safe(value))
  else if (typeof value === "boolean") bytes.byte(value ? 1 : 0)
  else if (isList(value)) writeTexts(bytes, value)
  else bytes.raw(value.bytes)
  bytes.end(start)
}

const safe = (value: number): number => {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError("Expected a safe integer")
}

const writeTexts = (bytes: Bytes, values: ReadonlyArray<string | null>): void => {
  beginArray(bytes, values.length, OID.text)
  for (const value of values) {
    // The callers' types are not checked at run time.
    if (value !== null && typeof value !== "string") throw new TypeError("Expected text")
    write(bytes, value)
  }
}

const scratch = new Bytes()

/** Throws for a number that is not a safe integer. */
export const int8s = (values: ReadonlyArray<number | null>): Encoded => {
  scratch.clear()
  beginArray(scratch, values.length, OID.int8)
  for (const value of values) write(scratch, value === null ? null : safe(value))
  return { oid: OID.int8Array, bytes: scratch.copy() }
}
