/**
 * Typed array parameters for `unnest`.
 *
 * A plain JavaScript array would do for most values, but `@effect/sql-pg` then infers the type from the
 * elements: it refuses an array of nulls, refuses `[1, 2 ** 40]`, and prepares the same statement again for an
 * empty array. With an explicit type there is one statement, and only an element of the wrong type is refused.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

const arrayOf =
  <A>(elementOid: number) =>
  (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
    // Fails only for an element type without an array type. The types below have one.
    Result.getOrThrow(PgTypes.array(values, elementOid))

export const boolArray = arrayOf<boolean>(PgTypes.OID.bool)
export const byteaArray = arrayOf<Uint8Array>(PgTypes.OID.bytea)
export const int4Array = arrayOf<number>(PgTypes.OID.int4)
export const int8Array = arrayOf<bigint>(PgTypes.OID.int8)
export const textArray = arrayOf<string>(PgTypes.OID.text)
