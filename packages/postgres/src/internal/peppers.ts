/** The ids of the peppers that processes have used, in the table `peppers`. No row contains a secret. */
import type { RegisteredPepper } from "@countersign/core/domain/access/RegisteredPepper"
import { maxPeppers, type PepperStore } from "@countersign/core/ports/PepperStore"
import * as Effect from "effect/Effect"
import * as Parameters from "./connection/parameters.ts"
import type { Query } from "./connection/query.ts"
import { int8, text } from "./rows/columns.ts"
import { rowType } from "./rows/rowTable.ts"
import { databaseNow } from "./statements/batchReads.ts"
import type { StoreClock } from "./storeClock.ts"

const registered = rowType<RegisteredPepper>({ id: text, usedAt: int8 })

/** `schema` is quoted. */
export const makePeppers = (schema: string, query: Query, { hostNow }: StoreClock): PepperStore => {
  const table = `${schema}.peppers`
  const now = `coalesce($1::int8, ${databaseNow})`
  return {
    peppers: Effect.flatMap(hostNow, (host) =>
      Effect.map(
        query({
          sql: `SELECT ${now} AS now, p.id, p.used_at FROM (SELECT) one LEFT JOIN (
              SELECT ${registered.list} FROM ${table} ORDER BY used_at DESC, id LIMIT $2) p ON true
            ORDER BY p.used_at DESC, p.id`,
          params: [Parameters.int8(host), ...Parameters.list(maxPeppers)],
        }),
        (rows) => ({
          now: rows[0] === undefined ? 0 : int8.decode(rows[0], "now"),
          registered: rows.filter((row) => row["id"] !== null).map(registered.decode),
        }),
      ),
    ),
    // The unique column makes another first process wait for this one, and then do nothing.
    addFirstPepper: (id) =>
      Effect.flatMap(hostNow, (host) =>
        Effect.map(
          query({
            sql: `INSERT INTO ${table} (id, used_at, is_first)
              SELECT $2, ${now}, true WHERE NOT EXISTS (SELECT FROM ${table})
              ON CONFLICT DO NOTHING RETURNING id`,
            params: [Parameters.int8(host), ...Parameters.list(id)],
          }),
          (rows) => rows.length > 0,
        ),
      ),
    usePeppers: (ids) =>
      Effect.flatMap(hostNow, (host) =>
        Effect.asVoid(
          query({
            sql: `INSERT INTO ${table} AS p (id, used_at)
              SELECT id, ${now} FROM unnest($2::text[]) AS given (id) ORDER BY id
              ON CONFLICT (id) DO UPDATE SET used_at = greatest(p.used_at, excluded.used_at)`,
            params: [Parameters.int8(host), Parameters.texts(ids)],
          }),
        ),
      ),
    forgetPeppers: (ids) =>
      Effect.asVoid(
        query({
          sql: `DELETE FROM ${table} WHERE id = ANY ($1::text[])`,
          params: [Parameters.texts(ids)],
        }),
      ),
  }
}
