/** The sessions of the admin pages: few rows, read and written outside of batches. */
import type { AdminSession } from "@countersign/core/domain/access/AdminSession"
import type { AdminSessionStore } from "@countersign/core/ports/AdminSessionStore"
import * as Effect from "effect/Effect"
import * as Parameters from "./connection/parameters.ts"
import type { Query } from "./connection/query.ts"
import { int8, orNull, text } from "./rows/columns.ts"
import { rowType } from "./rows/rowTable.ts"

const sessions = rowType<AdminSession>({
  id: text,
  login: text,
  startedAt: int8,
  seenAt: int8,
  network: orNull(text),
  agent: orNull(text),
})

/** `schema` is quoted. */
export const makeAdminSessions = (schema: string, query: Query): AdminSessionStore => {
  const table = `${schema}.admin_sessions`
  return {
    adminSessions: Effect.map(
      query({
        sql: `SELECT ${sessions.list} FROM ${table} ORDER BY started_at DESC, id DESC`,
        params: [],
      }),
      (rows) => rows.map(sessions.decode),
    ),
    adminSession: (id) =>
      Effect.map(
        query({
          sql: `SELECT ${sessions.list} FROM ${table} WHERE id = $1`,
          params: Parameters.list(id),
        }),
        ([row]) => row && sessions.decode(row),
      ),
    addAdminSession: ({ agent, id, login, network, seenAt, startedAt }) =>
      Effect.asVoid(
        query({
          sql: `INSERT INTO ${table} (id, login, started_at, seen_at, network, agent)
            VALUES ($1, $2, $3, $4, $5, $6)`,
          params: Parameters.list(id, login, startedAt, seenAt, network, agent),
        }),
      ),
    seeAdminSession: (id, at) =>
      Effect.asVoid(
        query({
          sql: `UPDATE ${table} SET seen_at = $2 WHERE id = $1`,
          params: Parameters.list(id, at),
        }),
      ),
    endAdminSessions: (ids) =>
      Effect.asVoid(
        query({
          sql: `DELETE FROM ${table} WHERE id = ANY ($1::text[])`,
          params: [Parameters.texts(ids)],
        }),
      ),
  }
}
