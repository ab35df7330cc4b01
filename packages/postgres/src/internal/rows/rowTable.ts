/**
 * One list of fields gives the columns of a table, the encoding and the decoding. A field `messageSequence` is the
 * column `message_sequence`.
 */
import * as Predicate from "effect/Predicate"
import type { Bytes } from "./bytes.ts"
import type { Column, Row, Seal, SecretKind, SqlColumn } from "./columns.ts"

export type Fields<A> = { readonly [K in keyof A]-?: Column<A[K]> }

export interface RowType<A> {
  readonly fields: Fields<A>
  readonly columns: ReadonlyArray<SqlColumn>
  /** The names of the columns in their order, separated by commas. */
  readonly list: string
  /** Writes a row as a record in binary. `seal` applies to secret columns. */
  readonly write: (bytes: Bytes, row: A, seal?: Seal) => void
  readonly decode: (row: Row) => A
  /**
   * Returns the columns of a table alias. The server would refuse a prepared `alias.*` when a later build adds a
   * column.
   */
  readonly of: (alias: string) => string
}

interface Options {
  /** Definitions of further columns, which are not fields. */
  readonly others?: ReadonlyArray<string>
  /** The composite type, if a migration has replaced the first one. @defaultValue the name of the table and `_row` */
  readonly type?: string
  /** Share of a page, in percent, that inserts fill. The rest is for new versions of its rows. */
  readonly fillFactor?: number
}

interface Layout extends Omit<Options, "type"> {
  readonly name: string
  /**
   * The composite type with the columns of the fields. It is not the row type of the table, so a later migration
   * may add a column while nodes of this build still write.
   */
  readonly type: string
  /** The columns of the primary key. The first is the organization. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<SqlColumn>
}

export interface RowTable<A> extends RowType<A>, Layout {}

export const rowType = <A>(fields: Fields<A>): RowType<A> => {
  const columns: Array<SqlColumn> = []
  const writes: Array<Column<A>["write"]> = []
  const reads: Array<(row: Row, value: Partial<A>) => void> = []
  for (const field in fields) {
    const column = fields[field]
    const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    columns.push(...column.columns(name))
    writes.push((bytes, row, seal) => column.write(bytes, row[field], seal))
    reads.push((row, value) => {
      value[field] = column.decode(row, name)
    })
  }
  const read: (row: Row, value: Partial<A>) => asserts value is A = (row, value) => {
    for (const one of reads) one(row, value)
  }
  return {
    fields,
    columns,
    list: columns.map(({ name }) => name).join(", "),
    of: (alias) => columns.map(({ name }) => `${alias}.${name}`).join(", "),
    write: (bytes, row, seal) => {
      const sealed =
        seal && ((value: string, kind: SecretKind) => seal(value, organizationOf(row), kind))
      bytes.int32(columns.length)
      for (const write of writes) write(bytes, row, sealed)
    },
    decode: (row) => {
      const value: Partial<A> = {}
      read(row, value)
      return value
    },
  }
}

/** Decodes the rows of a page. A page without any is one row without a sequence, or no row. */
export const foundIn = <A>(rows: ReadonlyArray<Row>, decode: (row: Row) => A): ReadonlyArray<A> =>
  rows[0]?.["sequence"] === null ? [] : rows.map(decode)

const organizationOf = (row: unknown): string =>
  Predicate.hasProperty(row, "organization") ? String(row.organization) : ""

export const rowTable = <A>(
  name: string,
  key: ReadonlyArray<string>,
  fields: Fields<A>,
  options: Options = {},
): RowTable<A> => ({
  name,
  type: `${name}_row`,
  key: ["organization", ...key],
  ...options,
  ...rowType(fields),
})

/** The further columns of tables whose rows are parts of an organization. */
export const inOrganization: ReadonlyArray<string> = [
  'organization text COLLATE "C" NOT NULL',
  "position int4 NOT NULL",
]

/** Returns the statements that create a table and its composite type. `schema` is quoted. */
export const create = (schema: string, table: Layout): ReadonlyArray<string> => {
  const { columns, fillFactor = 100, key, name, others = [] } = table
  const definitions = columns.map(
    (column) =>
      `${column.name} ${column.type} ${column.constraint}${column.isNullable ? "" : " NOT NULL"}`,
  )
  return [
    `CREATE TABLE ${schema}.${name} (
      ${[...definitions, ...others, `PRIMARY KEY (${key.join(", ")})`].join(", ")}
    ) WITH (fillfactor = ${fillFactor})`,
    createType(schema, table),
  ]
}

export const createType = (schema: string, { columns, type }: Layout): string =>
  `CREATE TYPE ${schema}.${type} AS (${columns.map((one) => `${one.name} ${one.type}`).join(", ")})`
