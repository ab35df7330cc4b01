/**
 * Typed parameters of statements. From plain values `@effect/sql-pg` would infer the types: it refuses an array of
 * nulls and `[1, 2 ** 40]`, and prepares the same statement again for an empty array.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

/** A string or `null` is a `text`, a number or `undefined` an `int8`, and an array a `text[]`. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | ReadonlyArray<string | null>
  | PgTypes.Parameter

const isList = (value: object): value is ReadonlyArray<string | null> => Array.isArray(value)

export const parameterOf = (value: Value): PgTypes.Parameter => {
  if (typeof value === "string" || value === null) return PgTypes.text(value)
  if (typeof value === "number") return PgTypes.int8(BigInt(value))
  if (value === undefined) return PgTypes.int8(null)
  if (typeof value === "boolean") return PgTypes.bool(value)
  return isList(value) ? array(value, PgTypes.OID.text) : value
}

export const int8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  array(
    values.map((value) => (value === null ? null : BigInt(value))),
    PgTypes.OID.int8,
  )

// Fails only for an element type without an array type, which neither text nor int8 is.
const array = (values: ReadonlyArray<unknown>, elementOid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid))

/** The types of parameters that the pools of stores know: those of `@effect/sql-pg`, and bytes that are encoded. */
export const registry = PgTypes.makeRegistry()

const codec: PgTypes.Codec<Uint8Array> = { encode: Result.succeed, decode: Result.succeed }

/**
 * Makes the type with this number known, whose parameters are given in the binary format. The codec is the same for
 * all types, so the number may stand for different types in two databases.
 */
export const register = (oid: number): void => registry.register(oid, codec)

export const encoded = (oid: number, value: Uint8Array): PgTypes.Parameter => ({
  [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
  oid,
  value,
})
