/** The types of columns. A column of an unexpected type is a defect: the schema and this code do not match. */
import { OID } from "@effect/sql-pg/PgTypes"
import type { Bytes } from "./bytes.ts"

/** A row of a result, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** Returns the stored form of a secret value of an organization. */
export type Seal = (value: string, organization: string) => string

export interface Column<A> {
  /** The columns of a field, given its name in SQL. All types but a group have one. */
  readonly columns: (name: string) => ReadonlyArray<SqlColumn>
  /**
   * Writes the fields of a record in binary: for each column the type, the length and the value. Throws for a value
   * that could not be read back unchanged, because the callers' types are not checked at run time. `seal` applies to
   * `secret` columns only.
   */
  readonly write: (bytes: Bytes, value: A, seal?: Seal, organization?: string) => void
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

const column = <A>(
  type: string,
  oid: number,
  put: (bytes: Bytes, value: A) => void,
  decode: (value: unknown, name: string) => A,
): Column<A> => ({
  columns: (name) => [{ name, type, oid, isNullable: false, constraint: "" }],
  write: (bytes, value) => {
    bytes.int32(oid)
    const start = bytes.begin()
    put(bytes, value)
    bytes.end(start)
  },
  decode: (row, name) => decode(row[name], name),
})

const putText = (bytes: Bytes, value: string): void => {
  if (typeof value !== "string") throw new TypeError("A text column was given something else")
  bytes.utf8(value)
}

/** Writes any text. The server refuses NUL, which PostgreSQL does not support. */
export const text = column<string>("text", OID.text, putText, (value, name) => {
  if (typeof value !== "string") throw new UnexpectedColumn(name, "text")
  return value
})

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
  check: (value: A) => string = (value) => value,
): Column<A> => ({
  ...self,
  write: (bytes, value, seal, organization = "") => {
    const checked = check(value)
    text.write(bytes, seal === undefined ? checked : seal(checked, organization))
  },
})

/** A text column with a closed set of values. */
export const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Column<A> => {
  const known = new Set<string>(values)
  return column(
    "text",
    OID.text,
    (bytes, value) => {
      if (!known.has(value)) throw new TypeError(`Expected one of ${values.join(", ")}`)
      bytes.utf8(value)
    },
    (found, name) => {
      const value = values.find((candidate) => candidate === found)
      if (value === undefined) throw new UnexpectedColumn(name, `one of ${values.join(", ")}`)
      return value
    },
  )
}

const checkInteger = (value: number): number => {
  if (!Number.isSafeInteger(value)) {
    throw new TypeError("An integer column was given something else")
  }
  return value
}

const decodeInteger = (value: unknown, name: string): number => {
  if (typeof value !== "bigint" && typeof value !== "number") {
    throw new UnexpectedColumn(name, "an integer")
  }
  return Number(value)
}

/** A safe integer. */
export const int8 = column<number>(
  "int8",
  OID.int8,
  (bytes, value) => bytes.int64(checkInteger(value)),
  decodeInteger,
)

export const int4 = column<number>(
  "int4",
  OID.int4,
  (bytes, value) => {
    if (checkInteger(value) !== (value | 0)) throw new TypeError("An int4 column was given more")
    bytes.int32(value)
  },
  decodeInteger,
)

export const int8s = column<ReadonlyArray<number>>(
  "int8[]",
  OID.int8Array,
  (bytes, values) => {
    beginArray(bytes, values.length, OID.int8)
    for (const value of values) {
      bytes.int32(8)
      bytes.int64(checkInteger(value))
    }
  },
  (value, name) => {
    if (!Array.isArray(value)) throw new UnexpectedColumn(name, "an array")
    return value.map(Number)
  },
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

export const bool = column<boolean>(
  "bool",
  OID.bool,
  (bytes, value) => {
    if (typeof value !== "boolean") throw new TypeError("A boolean column was given something else")
    bytes.byte(value ? 1 : 0)
  },
  (value, name) => {
    if (typeof value !== "boolean") throw new UnexpectedColumn(name, "a boolean")
    return value
  },
)

/** Bytes, which JSON contains as `\x` and hexadecimal digits. */
export const bytea = column<Uint8Array>(
  "bytea",
  OID.bytea,
  (bytes, value) => {
    if (!(value instanceof Uint8Array)) throw new TypeError("A bytea column was given no bytes")
    bytes.raw(value)
  },
  (value, name) => {
    if (value instanceof Uint8Array) return value
    if (typeof value === "string" && value.startsWith("\\x")) {
      return Uint8Array.from(Buffer.from(value.slice(2), "hex"))
    }
    throw new UnexpectedColumn(name, "bytea")
  },
)

/** A value as JSON. `parse` throws for JSON of another shape. */
export const jsonb = <A>(toJson: (value: A) => unknown, parse: (json: unknown) => A): Column<A> =>
  column(
    "jsonb",
    OID.jsonb,
    (bytes, value) => {
      // The version of the format.
      bytes.byte(1)
      putText(bytes, JSON.stringify(toJson(value)))
    },
    parse,
  )

/** Writes NULL for `empty`, which most rows have, so that it costs nothing. */
export const nullFor = <A>(
  empty: A,
  isEmpty: (value: A) => boolean,
  self: Column<A>,
): Column<A> => {
  const { columns, decode, write } = orNull(self)
  return {
    columns,
    write: (bytes, value, seal, organization) =>
      write(bytes, isEmpty(value) ? null : value, seal, organization),
    decode: (row, name) => decode(row, name) ?? empty,
  }
}

export const orNull = <A>({ columns, decode, write }: Column<A>): Column<A | null> => {
  const oids = columns("").map(({ oid }) => oid)
  return {
    columns: (name) => columns(name).map((one) => ({ ...one, isNullable: true })),
    write: (bytes, value, seal, organization) => {
      if (value !== null) return write(bytes, value, seal, organization)
      for (const oid of oids) {
        bytes.int32(oid)
        bytes.int32(-1)
      }
    },
    decode: (row, name) => (row[name] === null ? null : decode(row, name)),
  }
}

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
