/**
 * Creates typed parameters for set-based statements, and reads typed columns of results. A column of an
 * unexpected type is a defect, because the schema and this code do not match.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { boolArray, byteaArray, int4Array, int8Array, textArray } from "./parameters.ts"

type Row = Readonly<Record<string, unknown>>

/** Creates an array parameter from one column of a list of rows. */
export const texts = <A>(rows: ReadonlyArray<A>, column: (row: A) => string | null) =>
  textArray(rows.map(column))

export const int8s = <A>(rows: ReadonlyArray<A>, column: (row: A) => number | null) =>
  int8Array(
    rows.map((row) => {
      const value = column(row)
      return value === null ? null : BigInt(value)
    }),
  )

export const int4s = <A>(rows: ReadonlyArray<A>, column: (row: A) => number) =>
  int4Array(rows.map(column))

export const byteas = <A>(rows: ReadonlyArray<A>, column: (row: A) => Uint8Array) =>
  byteaArray(rows.map(column))

export const bools = <A>(rows: ReadonlyArray<A>, column: (row: A) => boolean) =>
  boolArray(rows.map(column))

export const int8 = (value: number): PgTypes.Parameter => PgTypes.int8(BigInt(value))

export const int8OrNull = (value: number | undefined): PgTypes.Parameter =>
  PgTypes.int8(value === undefined ? null : BigInt(value))

export const text = (value: string | null): PgTypes.Parameter => PgTypes.text(value)

/** An `int8[]` inside an array parameter must be text. */
export const int8Literal = (values: ReadonlyArray<number>): string => `{${values.join(",")}}`

class UnexpectedColumn extends Error {
  constructor(column: string, expected: string) {
    super(
      `The column "${column}" is not ${expected}: the schema is not the one that this version expects`,
    )
  }
}

export const textOf = (row: Row, column: string): string => {
  const value = row[column]
  if (typeof value !== "string") throw new UnexpectedColumn(column, "text")
  return value
}

export const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : textOf(row, column)

/** Reads a column of type `int8` or `int4`. */
export const numberOf = (row: Row, column: string): number => {
  const value = row[column]
  if (typeof value !== "bigint" && typeof value !== "number") {
    throw new UnexpectedColumn(column, "an integer")
  }
  return Number(value)
}

export const numberOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : numberOf(row, column)

export const numbersOf = (row: Row, column: string): ReadonlyArray<number> => {
  const value = row[column]
  if (!Array.isArray(value)) throw new UnexpectedColumn(column, "an array")
  return value.map(Number)
}

export const bytesOf = (row: Row, column: string): Uint8Array => {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new UnexpectedColumn(column, "bytea")
  return value
}

/** Reads a text column with a closed set of values. */
export const oneOf = <const A extends string>(
  row: Row,
  column: string,
  values: ReadonlyArray<A>,
): A => {
  const text = textOf(row, column)
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw new UnexpectedColumn(column, `one of ${values.join(", ")}`)
  return value
}
