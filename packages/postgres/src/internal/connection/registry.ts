/** The types of parameters that the pools of stores know: those of `@effect/sql-pg`, and bytes that are encoded. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

export const registry = PgTypes.makeRegistry()

const codec: PgTypes.Codec<Uint8Array> = {
  encode: (bytes) => Result.succeed(bytes),
  decode: (bytes) => Result.succeed(bytes),
}

/**
 * Makes the type with this number known, whose parameters are given in the binary format. The codec is the same for
 * all types, so the number may stand for different types in two databases.
 */
export const register = (oid: number): void => registry.register(oid, codec)

export const encoded = (oid: number, bytes: Uint8Array): PgTypes.Parameter => ({
  [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
  oid,
  value: bytes,
})
