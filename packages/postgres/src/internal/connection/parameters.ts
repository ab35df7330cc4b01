/**
 * Typed parameters of statements. From plain values `@effect/sql-pg` would infer the types: it refuses an array of
 * nulls and `[1, 2 ** 40]`, and prepares the same statement again for an empty array.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

export const text = (value: string | null): PgTypes.Parameter => PgTypes.text(value)

export const int8 = (value: number | undefined): PgTypes.Parameter =>
  PgTypes.int8(value === undefined ? null : BigInt(value))

/** Texts and integers as they are: a string or `null` is a text, a number or `undefined` an `int8`. */
export const list = (
  ...values: ReadonlyArray<string | number | null | undefined>
): ReadonlyArray<PgTypes.Parameter> =>
  values.map((value) => (typeof value === "string" || value === null ? text(value) : int8(value)))

export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter =>
  array(values, PgTypes.OID.text)

export const int8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  array(
    values.map((value) => (value === null ? null : BigInt(value))),
    PgTypes.OID.int8,
  )

// Fails only for an element type without an array type, which neither text nor int8 is.
const array = (values: ReadonlyArray<unknown>, elementOid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid))
