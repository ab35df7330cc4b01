/**
 * Rows as one parameter: an array of the composite type of their table, in PostgreSQL's binary format. As text, the
 * server takes twice as long to read it. With a parameter for each column, small batches take longer.
 */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Effect from "effect/Effect"
import type { Query } from "../connection/query.ts"
import type { Encoded } from "../connection/parameters.ts"
import { Bytes } from "./bytes.ts"
import { beginArray, int8, type Seal, text } from "./columns.ts"
import { type RowTable, rowType } from "./rowTable.ts"
import * as AllTables from "./allTables.ts"

/** Returns the rows of a table as a parameter. `seal` applies to secret columns. */
export type RowArrays = <A>(table: RowTable<A>, rows: ReadonlyArray<A>, seal?: Seal) => Encoded

/** The server's numbers of a composite type and of its arrays. Each database has its own. */
export interface TypeIds {
  readonly oid: number
  readonly arrayOid: number
}

const scratch = new Bytes()

/** Throws for a value that could not be read back. */
export const make =
  (idsOf: (type: string) => TypeIds): RowArrays =>
  (table, rows, seal) => {
    const { arrayOid, oid } = idsOf(table.type)
    scratch.clear()
    beginArray(scratch, rows.length, oid)
    for (const row of rows) {
      const start = scratch.begin()
      table.write(scratch, row, seal)
      scratch.end(start)
    }
    return { oid: arrayOid, bytes: scratch.copy() }
  }

const typeRow = rowType<TypeIds & { readonly name: string }>({
  name: text,
  oid: int8,
  arrayOid: int8,
})

/** Reads the numbers of the types of a schema. Another schema has other numbers. */
export const open = (
  schema: string,
  query: Query,
  tables: ReadonlyArray<{ readonly type: string }> = AllTables.all,
): Effect.Effect<RowArrays, StoreUnavailable> =>
  Effect.map(
    query({
      sql: `SELECT t.typname::text AS name, t.oid::int8 AS oid, t.typarray::int8 AS array_oid
        FROM unnest($2::text[]) AS given (name)
          JOIN pg_namespace n ON n.nspname = $1
          JOIN pg_type t ON t.typname = given.name AND t.typnamespace = n.oid`,
      params: [schema, tables.map(({ type }) => type)],
    }),
    (rows) => {
      const ids = new Map(rows.map(typeRow.decode).map((one) => [one.name, one]))
      return make((type) => {
        const found = ids.get(type)
        if (found === undefined) throw new Error(`The schema "${schema}" has no type "${type}"`)
        return found
      })
    },
  )
