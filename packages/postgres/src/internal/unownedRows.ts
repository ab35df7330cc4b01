/**
 * The rows of no organization, read and written outside of batches. These are the sessions of the admin pages, and the
 * ids of the secrets that processes have used, in the table `peppers`. No row contains a secret.
 */
import type { AdminSession } from "@countersign/core/domain/access/AdminSession"
import type { RegisteredCodeSecret } from "@countersign/core/domain/access/RegisteredCodeSecret"
import { roleNames } from "@countersign/core/domain/access/Roles"
import { maxCodeSecrets, type UnownedRows } from "@countersign/core/ports/UnownedRows"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database } from "./database.ts"
import { int8, jsonb, orNull, text } from "./rows/columns.ts"
import { rowType } from "./rows/rowTable.ts"
import { databaseNow } from "./statements/batchReads.ts"

const person = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  roles: Schema.Array(Schema.Literals(roleNames)),
  organizations: Schema.NullOr(Schema.Array(Schema.String)),
})

const sessions = rowType<AdminSession>({
  id: text,
  login: text,
  startedAt: int8,
  seenAt: int8,
  network: orNull(text),
  agent: orNull(text),
  person: orNull(jsonb(Schema.decodeUnknownSync(person))),
})

const secrets = rowType<RegisteredCodeSecret>({ id: text, usedAt: int8 })

export const makeUnownedRows = (database: Database): UnownedRows => {
  const { all, clock, first, query, run, schema } = database
  const admin = `${schema}.admin_sessions`
  const peppers = `${schema}.peppers`
  const now = `coalesce($1::int8, ${databaseNow})`
  return {
    adminSessions: all(
      { sql: `SELECT ${sessions.list} FROM ${admin} ORDER BY started_at DESC, id DESC` },
      sessions.decode,
    ),
    adminSession: (id) =>
      first(
        { sql: `SELECT ${sessions.list} FROM ${admin} WHERE id = $1`, params: [id] },
        sessions.decode,
      ),
    addAdminSession: ({ agent, id, login, network, person, seenAt, startedAt }) =>
      run({
        sql: `INSERT INTO ${admin} (${sessions.list}) VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb)`,
        params: [id, login, startedAt, seenAt, network, agent, person && JSON.stringify(person)],
      }),
    seeAdminSession: (id, at) =>
      run({ sql: `UPDATE ${admin} SET seen_at = $2 WHERE id = $1`, params: [id, at] }),
    endAdminSessions: (ids) =>
      run({ sql: `DELETE FROM ${admin} WHERE id = ANY ($1::text[])`, params: [ids] }),
    codeSecrets: Effect.gen(function* () {
      const rows = yield* query({
        sql: `SELECT ${now} AS now, p.id, p.used_at FROM (SELECT) one LEFT JOIN (
            SELECT ${secrets.list} FROM ${peppers} ORDER BY used_at DESC, id LIMIT $2) p ON true
          ORDER BY p.used_at DESC, p.id`,
        params: [yield* clock.hostNow, maxCodeSecrets],
      })
      return {
        now: rows[0] === undefined ? 0 : int8.decode(rows[0], "now"),
        registered: rows.filter((row) => row["id"] !== null).map(secrets.decode),
      }
    }),
    // The unique column makes another first process wait for this one, and then do nothing.
    addFirstCodeSecret: Effect.fnUntraced(function* (id) {
      const rows = yield* query({
        sql: `INSERT INTO ${peppers} (id, used_at, is_first)
          SELECT $2, ${now}, true WHERE NOT EXISTS (SELECT FROM ${peppers})
          ON CONFLICT DO NOTHING RETURNING id`,
        params: [yield* clock.hostNow, id],
      })
      return rows.length > 0
    }),
    useCodeSecrets: Effect.fnUntraced(function* (ids) {
      yield* query({
        sql: `INSERT INTO ${peppers} AS p (id, used_at)
          SELECT id, ${now} FROM unnest($2::text[]) AS given (id) ORDER BY id
          ON CONFLICT (id) DO UPDATE SET used_at = greatest(p.used_at, excluded.used_at)`,
        params: [yield* clock.hostNow, ids],
      })
    }),
    forgetCodeSecrets: (ids) =>
      run({ sql: `DELETE FROM ${peppers} WHERE id = ANY ($1::text[])`, params: [ids] }),
  }
}
