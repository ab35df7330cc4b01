/** The types of columns. A column of an unexpected type is a defect: the schema and this code do not match. */

/** A row of a result, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/**
 * The text of a field in an array of rows. The encoders throw for a value that could not be read back unchanged,
 * because the callers' types are not checked at run time, and PostgreSQL would accept the text of any value.
 */
type Field = string

/** Returns the stored form of a secret value of an organization. */
export type Seal = (value: string, organization: string) => string

export interface Column<A> {
  /** The columns of a field, given its name in SQL. All types but a group have one. */
  readonly columns: (name: string) => ReadonlyArray<SqlColumn>
  /** `seal` applies to `secret` columns only. */
  readonly encode: (value: A, seal?: Seal, organization?: string) => Field
  readonly decode: (row: Row, name: string) => A
}

export interface SqlColumn {
  readonly name: string
  readonly type: string
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
  encode: (value: A) => Field,
  decode: (value: unknown, name: string) => A,
): Column<A> => ({
  columns: (name) => [{ name, type, isNullable: false, constraint: "" }],
  encode,
  decode: (row, name) => decode(row[name], name),
})

/** Encodes any text. The server refuses NUL, which PostgreSQL does not support. */
export const text = column<string>(
  "text",
  (value) => {
    if (typeof value !== "string") throw new TypeError("A text column was given something else")
    return `\\"${special.test(value) ? escape(value) : value}\\"`
  },
  (value, name) => {
    if (typeof value !== "string") throw new UnexpectedColumn(name, "text")
    return value
  },
)

/** A column whose values `parse` accepts. */
export const parsed = <A extends B, B>(self: Column<B>, parse: (value: B) => A): Column<A> => ({
  ...self,
  decode: (row, name) => parse(self.decode(row, name)),
})

/** Identifiers compare bytewise, which is faster and the same on every machine. */
export const identifier = <A extends string>(parse: (text: string) => A): Column<A> =>
  constrained(parsed(text, parse), () => 'COLLATE "C"')

/** A text column whose values are stored as `seal` returns them. A read row contains the value itself. */
export const secret = <A extends string>(self: Column<A>): Column<A> => ({
  ...self,
  encode: (value, seal, organization = "") => {
    const field = self.encode(value)
    return seal === undefined ? field : text.encode(seal(value, organization))
  },
})

/** A text column with a closed set of values. */
export const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Column<A> => {
  const fields = new Map(values.map((value) => [value, text.encode(value)]))
  return column(
    "text",
    (value) => {
      const field = fields.get(value)
      if (field === undefined) throw new TypeError(`Expected one of ${values.join(", ")}`)
      return field
    },
    (found, name) => {
      const value = values.find((candidate) => candidate === found)
      if (value === undefined) throw new UnexpectedColumn(name, `one of ${values.join(", ")}`)
      return value
    },
  )
}

const encodeInteger = (value: number): Field => {
  if (!Number.isSafeInteger(value))
    throw new TypeError("An integer column was given something else")
  return String(value)
}

const decodeInteger = (value: unknown, name: string): number => {
  if (typeof value !== "bigint" && typeof value !== "number") {
    throw new UnexpectedColumn(name, "an integer")
  }
  return Number(value)
}

/** A safe integer. */
export const int8 = column("int8", encodeInteger, decodeInteger)

export const int4 = column("int4", encodeInteger, decodeInteger)

export const int8s = column<ReadonlyArray<number>>(
  "int8[]",
  (values) => `\\"{${values.join(",")}}\\"`,
  (value, name) => {
    if (!Array.isArray(value)) throw new UnexpectedColumn(name, "an array")
    return value.map(Number)
  },
)

export const bool = column<boolean>(
  "bool",
  (value) => {
    if (typeof value !== "boolean") throw new TypeError("A boolean column was given something else")
    return String(value)
  },
  (value, name) => {
    if (typeof value !== "boolean") throw new UnexpectedColumn(name, "a boolean")
    return value
  },
)

/** Bytes, which JSON contains as `\x` and hexadecimal digits. */
export const bytea = column<Uint8Array>(
  "bytea",
  ({ buffer, byteLength, byteOffset }) =>
    `\\"\\\\\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}\\"`,
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
  column("jsonb", (value) => text.encode(JSON.stringify(toJson(value))), parse)

/** Writes NULL for `empty`, which most rows have, so that it costs nothing. */
export const nullFor = <A>(
  empty: A,
  isEmpty: (value: A) => boolean,
  self: Column<A>,
): Column<A> => {
  const { columns, decode, encode } = orNull(self)
  return {
    columns,
    encode: (value, ...sealing) => encode(isEmpty(value) ? null : value, ...sealing),
    decode: (row, name) => decode(row, name) ?? empty,
  }
}

export const orNull = <A>({ columns, decode, encode }: Column<A>): Column<A | null> => ({
  columns: (name) => columns(name).map((one) => ({ ...one, isNullable: true })),
  encode: (value, ...sealing) => (value === null ? "" : encode(value, ...sealing)),
  decode: (row, name) => (row[name] === null ? null : decode(row, name)),
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

const special = /["\\]/

// Escapes twice: for the row, and for the array that contains the row.
const escape = (value: string): string =>
  value.replace(/["\\]/g, (character) => (character === '"' ? '\\\\\\"' : "\\\\\\\\"))
