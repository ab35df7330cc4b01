/** The types of columns. A column of an unexpected type is a defect: the schema and this code do not match. */
import { OID } from "@effect/sql-pg/PgTypes"
import * as Predicate from "effect/Predicate"
import type { Bytes } from "./bytes.ts"

/** A row of a result, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** A phone number of an organization, or a text that may contain one, such as the id of a gateway. */
export type SecretKind = "number" | "text"

/** Returns the stored form of a secret value of an organization. */
export type Seal = (value: string, organization: string, kind: SecretKind) => string

export interface Column<A> {
  /** The columns of a field, given its name in SQL. All types but a group have one. */
  readonly columns: (name: string) => ReadonlyArray<SqlColumn>
  /**
   * Writes the fields of a record in binary: for each column the type, the length and the value. Throws for a value
   * that could not be read back unchanged, because the callers' types are not checked at run time. `seal` applies to
   * `secret` columns only.
   */
  readonly write: (
    bytes: Bytes,
    value: A,
    seal?: (value: string, kind: SecretKind) => string,
  ) => void
  readonly decode: (row: Row, name: string) => A
}

export interface SqlColumn {
  readonly name: string
  readonly type: string
  /** The server's number of the type. */
  readonly oid: number
  readonly isNullable: boolean
  /** A collation or a CHECK. */
  readonly constraint: string
}

class UnexpectedColumn extends Error {
  constructor(column: string, expected: string) {
    super(
      `The column "${column}" is not ${expected}: the schema is not the one that this version expects`,
    )
  }
}

/** A column of one type. `parse` returns a read value, or `undefined` if the column is not what is expected. */
const column = <A extends {}>(
  type: string,
  oid: number,
  expected: string,
  isValid: (value: unknown) => value is A,
  put: (bytes: Bytes, value: A) => void,
  parse: (value: unknown) => A | undefined = (value) => (isValid(value) ? value : undefined),
): Column<A> => ({
  columns: (name) => [{ name, type, oid, isNullable: false, constraint: "" }],
  write: (bytes, value) => {
    if (!isValid(value)) throw new TypeError(`Expected ${expected}`)
    bytes.int32(oid)
    const start = bytes.begin()
    put(bytes, value)
    bytes.end(start)
  },
  decode: (row, name) => {
    const value = parse(row[name])
    if (value === undefined) throw new UnexpectedColumn(name, expected)
    return value
  },
})

const putText = (bytes: Bytes, value: string): void => bytes.utf8(value)

/** Writes any text. The server refuses NUL, which PostgreSQL does not support. */
export const text = column("text", OID.text, "text", Predicate.isString, putText)

/** A column whose values `parse` accepts. */
export const parsed = <A extends B, B>(self: Column<B>, parse: (value: B) => A): Column<A> => ({
  ...self,
  decode: (row, name) => parse(self.decode(row, name)),
})

/** Identifiers compare bytewise, which is faster and the same on every machine. */
export const identifier = <A extends string>(parse: (text: string) => A): Column<A> =>
  constrained(parsed(text, parse), () => 'COLLATE "C"')

/**
 * A text column whose values are stored as `seal` returns them. A read row contains the value itself. `check` throws
 * for a value that could not be read back.
 */
export const secret = <A extends string>(
  self: Column<A>,
  check: (value: A) => string,
  kind: SecretKind,
): Column<A> => ({
  ...self,
  write: (bytes, value, seal) => {
    const checked = check(value)
    text.write(bytes, seal === undefined ? checked : seal(checked, kind))
  },
})

/** A text column with a closed set of values. */
export const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Column<A> => {
  const known = new Set<unknown>(values)
  const isKnown = (value: unknown): value is A => known.has(value)
  return column("text", OID.text, `one of ${values.join(", ")}`, isKnown, putText)
}

const isInt8 = (value: unknown): value is number => Number.isSafeInteger(value)

const isInt4 = (value: unknown): value is number => isInt8(value) && value === (value | 0)

/** Drivers of hosts return integers of eight bytes as text. */
const parseInteger = (value: unknown): number | undefined =>
  typeof value === "bigint" || typeof value === "number" || isDigits(value)
    ? Number(value)
    : undefined

const isDigits = (value: unknown): boolean => typeof value === "string" && /^-?\d+$/.test(value)

/** A safe integer. */
export const int8 = column(
  "int8",
  OID.int8,
  "an integer",
  isInt8,
  (bytes, value) => bytes.int64(value),
  parseInteger,
)

export const int4 = column(
  "int4",
  OID.int4,
  "an integer of four bytes",
  isInt4,
  (bytes, value) => bytes.int32(value),
  parseInteger,
)

export const int8s = column<ReadonlyArray<number>>(
  "int8[]",
  OID.int8Array,
  "an array of integers",
  (value) => Array.isArray(value) && value.every(isInt8),
  (bytes, values) => {
    beginArray(bytes, values.length, OID.int8)
    for (const value of values) {
      bytes.int32(8)
      bytes.int64(value)
    }
  },
  (value) => (Array.isArray(value) ? value.map(Number) : undefined),
)

/** Writes the beginning of an array without nulls. `oid` is the type of its elements. */
export const beginArray = (bytes: Bytes, length: number, oid: number): void => {
  bytes.int32(length === 0 ? 0 : 1)
  bytes.int32(0)
  bytes.int32(oid)
  if (length === 0) return
  bytes.int32(length)
  bytes.int32(1)
}

export const bool = column("bool", OID.bool, "a boolean", Predicate.isBoolean, (bytes, value) =>
  bytes.byte(value ? 1 : 0),
)

/** Bytes, which JSON contains as `\x` and hexadecimal digits. */
export const bytea = column(
  "bytea",
  OID.bytea,
  "bytes",
  Predicate.isUint8Array,
  (bytes, value) => bytes.raw(value),
  (value) =>
    typeof value === "string" && value.startsWith("\\x")
      ? Uint8Array.from(Buffer.from(value.slice(2), "hex"))
      : Predicate.isUint8Array(value)
        ? value
        : undefined,
)

const json = column("jsonb", OID.jsonb, "JSON", Predicate.isString, (bytes, value) => {
  // The version of the format.
  bytes.byte(1)
  bytes.utf8(value)
})

/** A value as JSON. `parse` throws for JSON of another shape. */
export const jsonb = <A>(
  parse: (json: unknown) => A,
  toJson: (value: A) => unknown = (value) => value,
): Column<A> => ({
  columns: json.columns,
  write: (bytes, value) => json.write(bytes, JSON.stringify(toJson(value))),
  decode: (row, name) => parse(row[name]),
})

/** Writes NULL for `empty`, which most rows have, so that it costs nothing. */
export const nullFor = <A>(
  empty: A,
  isEmpty: (value: A) => boolean,
  self: Column<A>,
): Column<A> => {
  const { columns, decode, write } = orNull(self)
  return {
    columns,
    write: (bytes, value, seal) => write(bytes, isEmpty(value) ? null : value, seal),
    decode: (row, name) => decode(row, name) ?? empty,
  }
}

/** A list that most rows do not have. */
export const nullForNone = <A>(self: Column<ReadonlyArray<A>>): Column<ReadonlyArray<A>> =>
  nullFor<ReadonlyArray<A>>([], (list) => list.length === 0, self)

export const orNull = <A>({ columns, decode, write }: Column<A>): Column<A | null> => {
  const oids = columns("").map(({ oid }) => oid)
  return {
    columns: (name) => columns(name).map((one) => ({ ...one, isNullable: true })),
    write: (bytes, value, seal) => {
      if (value !== null) return write(bytes, value, seal)
      for (const oid of oids) {
        bytes.int32(oid)
        bytes.int32(-1)
      }
    },
    decode: (row, name) => (row[name] === null ? null : decode(row, name)),
  }
}

/** A column whose stored name differs from the name of its field. */
export const named = <A>(stored: string, { columns, decode, write }: Column<A>): Column<A> => ({
  columns: () => columns(stored),
  write,
  decode: (row) => decode(row, stored),
})

/** Adds a constraint, which is a safety net under the engine's rules, not a second copy of them. */
export const constrained = <A>(
  self: Column<A>,
  constraint: (name: string) => string,
): Column<A> => ({
  ...self,
  columns: (name) => self.columns(name).map((one) => ({ ...one, constraint: constraint(name) })),
})

export const notNegative = <A>(self: Column<A>): Column<A> =>
  constrained(self, (name) => `CHECK (${name} >= 0)`)
