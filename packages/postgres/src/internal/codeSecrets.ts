/** The ids of the secrets that processes have used, in the table `peppers`. No row contains a secret. */
import type { RegisteredCodeSecret } from "@countersign/core/domain/access/RegisteredCodeSecret"
import { maxCodeSecrets, type CodeSecretStore } from "@countersign/core/ports/CodeSecretStore"
import * as Effect from "effect/Effect"
import * as Parameters from "./connection/parameters.ts"
import type { Query } from "./connection/query.ts"
import { int8, text } from "./rows/columns.ts"
import { rowType } from "./rows/rowTable.ts"
import { databaseNow } from "./statements/batchReads.ts"
import type { StoreClock } from "./storeClock.ts"

const registered = rowType<RegisteredCodeSecret>({ id: text, usedAt: int8 })

/** `schema` is quoted. */
export const makeCodeSecrets = (
  schema: string,
  query: Query,
  { hostNow }: StoreClock,
): CodeSecretStore => {
  const table = `${schema}.peppers`
  const now = `coalesce($1::int8, ${databaseNow})`
  return {
    codeSecrets: Effect.flatMap(hostNow, (host) =>
      Effect.map(
        query({
          sql: `SELECT ${now} AS now, p.id, p.used_at FROM (SELECT) one LEFT JOIN (
              SELECT ${registered.list} FROM ${table} ORDER BY used_at DESC, id LIMIT $2) p ON true
            ORDER BY p.used_at DESC, p.id`,
          params: [Parameters.int8(host), ...Parameters.list(maxCodeSecrets)],
        }),
        (rows) => ({
          now: rows[0] === undefined ? 0 : int8.decode(rows[0], "now"),
          registered: rows.filter((row) => row["id"] !== null).map(registered.decode),
        }),
      ),
    ),
    // The unique column makes another first process wait for this one, and then do nothing.
    addFirstCodeSecret: (id) =>
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
    useCodeSecrets: (ids) =>
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
    forgetCodeSecrets: (ids) =>
      Effect.asVoid(
        query({
          sql: `DELETE FROM ${table} WHERE id = ANY ($1::text[])`,
          params: [Parameters.texts(ids)],
        }),
      ),
  }
}
