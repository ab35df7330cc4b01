/**
 * Reads the state of a database for its operator. Changes nothing, and reads a limited number of rows.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import * as Ids from "@countersign/core/domain/Ids"
import { firstRequestToKeep } from "@countersign/core/decide/Pruning"
import { dayMillis } from "@countersign/core/domain/Total"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Parameters from "./internal/connection/parameters.ts"
import { makeQuery } from "./internal/connection/query.ts"
import type { NumberKey } from "./internal/numbers/cipher.ts"
import * as NumberKeys from "./internal/numbers/registry.ts"
import type { NumberKeyError } from "./internal/numbers/registry.ts"
import { bool, bytea, int8, orNull, type Row, text } from "./internal/rows/columns.ts"
import { rowType } from "./internal/rows/rowTable.ts"
import { quoteIdentifier } from "./internal/schema/migrate.ts"
import { databaseNow } from "./internal/statements/batchReads.ts"

/** The server, and the role that is connected to it. */
export interface Server {
  readonly version: string
  /** Epoch milliseconds of the server's clock. */
  readonly now: number
  readonly role: string
  readonly isSuperuser: boolean
  /** Whether it is a replica, which cannot be written to. */
  readonly isReplica: boolean
  readonly fsync: string
  readonly synchronousCommit: string
  readonly fullPageWrites: string
}

/** Fails with the error of the connection. */
export const server: Effect.Effect<Server, SqlError, PgPool.PgPool> = Effect.gen(function* () {
  const pool = yield* PgPool.PgPool
  const { rows } = yield* pool.use((connection) =>
    connection.query(`SELECT current_setting('server_version') AS version,
      ${databaseNow} AS now, current_user::text AS role,
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
      pg_is_in_recovery() AS is_replica, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous_commit,
      current_setting('full_page_writes') AS full_page_writes`),
  )
  return serverRow.decode(rows[0] ?? {})
})

const serverRow = rowType<Server>({
  version: text,
  now: int8,
  role: text,
  isSuperuser: bool,
  isReplica: bool,
  fsync: text,
  synchronousCommit: text,
  fullPageWrites: text,
})

const select = <A>(
  sql: string,
  params: ReturnType<typeof Parameters.list>,
  decode: (row: Row) => A,
): Effect.Effect<ReadonlyArray<A>, StoreUnavailable, PgPool.PgPool> =>
  Effect.flatMap(PgPool.PgPool, (pool) =>
    Effect.map(makeQuery(pool)({ sql, params }), (rows) => rows.map(decode)),
  )

/** Whether the role may not use a schema that exists. Its tables then look as if they were missing. */
export const isLockedOut = (schema: string) =>
  Effect.map(
    select(
      "SELECT NOT has_schema_privilege(oid, 'USAGE') AS locked_out FROM pg_namespace WHERE nspname = $1",
      Parameters.list(schema),
      (row) => bool.decode(row, "locked_out"),
    ),
    ([isLockedOut = false]) => isLockedOut,
  )

/** The tables of a schema on which the role lacks a right that the store needs, with these rights. */
export const missingRights = (schema: string) =>
  select(
    `SELECT c.relname::text AS table, string_agg(p.name, ', ' ORDER BY p.name) AS rights
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p(name)
      WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> 'migrations'
        AND NOT has_table_privilege(c.oid, p.name)
      GROUP BY c.relname ORDER BY c.relname`,
    Parameters.list(schema),
    (row) => ({ table: text.decode(row, "table"), rights: text.decode(row, "rights") }),
  )

/** A pepper that rows need, with a secret of a webhook that is sealed under it. */
export interface UsedPepper {
  readonly id: string
  readonly owner:
    | { readonly organization: Ids.OrganizationId; readonly webhookId: Ids.WebhookId }
    | undefined
  /** Empty without `owner`. */
  readonly sealed: Uint8Array
}

/** Longest lifetime of a request, by which its id is found. */
const requestMillis = dayMillis

/** The peppers of secrets of webhooks and of codes that can still be checked. */
export const usedPeppers = (schema: string, now: number) => {
  const quoted = quoteIdentifier(schema)
  return select(
    `SELECT DISTINCT ON (pepper) pepper, organization, id, sealed FROM (
        SELECT s ->> 'pepper' AS pepper, w.organization, w.id, decode(s ->> 'sealed', 'hex') AS sealed
          FROM ${quoted}.webhooks w, jsonb_array_elements(w.secrets) s
          WHERE coalesce((s ->> 'until')::int8 > $1, true)
        UNION ALL
        SELECT v.pepper, NULL, NULL, NULL FROM ${quoted}.accounts a, LATERAL (
          SELECT DISTINCT pepper FROM ${quoted}.verifications
            WHERE organization = a.organization AND request_id >= $2
              AND status = 'pending' AND expires_at > $1) v
      ) used ORDER BY pepper, organization NULLS LAST`,
    Parameters.list(now, firstRequestToKeep(now - requestMillis)),
    (row): UsedPepper => {
      const organization = orNull(text).decode(row, "organization")
      const isSecret = organization !== null
      return {
        id: text.decode(row, "pepper"),
        owner: isSecret
          ? {
              organization: Ids.OrganizationId(organization),
              webhookId: Ids.WebhookId(text.decode(row, "id")),
            }
          : undefined,
        sealed: isSecret ? bytea.decode(row, "sealed") : new Uint8Array(),
      }
    },
  )
}

/** Checks the keys of phone numbers, as the start of a store does, and registers none. */
export const checkNumberKeys = (
  schema: string,
  keys: ReadonlyArray<NumberKey>,
): Effect.Effect<void, NumberKeyError | StoreUnavailable, PgPool.PgPool> =>
  Effect.flatMap(PgPool.PgPool, (pool) =>
    NumberKeys.check(quoteIdentifier(schema), makeQuery(pool), keys),
  )

/** Maximum number of webhooks in trouble that are listed. */
export const maxWebhooks = 100

/** Enabled webhooks whose deliveries have ended, or have failed since `before`; the longest in trouble first. */
export const troubledWebhooks = (schema: string, before: number) => {
  const quoted = quoteIdentifier(schema)
  return select(
    `SELECT p.organization, p.id, p.status, p.troubled_since, p.last_error
      FROM ${quoted}.webhook_progress p JOIN ${quoted}.webhooks w USING (organization, id)
      WHERE w.is_enabled AND (p.status <> 'active' OR p.troubled_since <= $1)
      ORDER BY p.troubled_since NULLS FIRST, p.organization, p.id LIMIT ${maxWebhooks}`,
    Parameters.list(before),
    (row) => ({
      organization: text.decode(row, "organization"),
      id: text.decode(row, "id"),
      status: text.decode(row, "status"),
      troubledSince: orNull(int8).decode(row, "troubled_since"),
      lastError: orNull(text).decode(row, "last_error"),
    }),
  )
}

/** Maximum number of overdue messages that are counted. */
export const maxOverdue = 10_000

/** The messages that settlement should have taken up before a time. `count` is at most `maxOverdue`. */
export const overdueMessages = (schema: string, before: number) =>
  Effect.map(
    select(
      `SELECT count(*) AS count, min(due_at) AS oldest FROM (
        SELECT due_at FROM ${quoteIdentifier(schema)}.open_messages
          WHERE due_at <= $1 ORDER BY due_at LIMIT ${maxOverdue}) due`,
      Parameters.list(before),
      (row) => ({
        count: int8.decode(row, "count"),
        oldest: orNull(int8).decode(row, "oldest"),
      }),
    ),
    ([found = { count: 0, oldest: null }]) => found,
  )

/** Maximum number of kept reports that are counted. */
export const maxKeptReports = 1_000

/** The gateways whose reports on unknown messages wait since before a time, with the number of these reports. */
export const keptReports = (schema: string, before: number) =>
  select(
    `SELECT gateway, count(*)::int8 AS count FROM (
        SELECT gateway FROM ${quoteIdentifier(schema)}.kept_reports
          WHERE received_at <= $1 LIMIT ${maxKeptReports}) kept
      GROUP BY gateway ORDER BY gateway`,
    Parameters.list(before),
    (row) => ({ gateway: text.decode(row, "gateway"), count: int8.decode(row, "count") }),
  )

/** The messages of each gateway since a time, of all organizations: all of them, and those that it did not take. */
export const gatewayOutcomes = (schema: string, since: number) =>
  select(
    `SELECT t.gateway, sum(t.count)::int8 AS count,
        coalesce(sum(t.count) FILTER (WHERE t.outcome IN ('failed', 'rejected')), 0)::int8 AS failed
      FROM ${quoteIdentifier(schema)}.accounts a, LATERAL (
        SELECT gateway, outcome, count FROM ${quoteIdentifier(schema)}.totals
          WHERE organization = a.organization AND kind = 'messages' AND slot = 'hour' AND hour >= $1) t
      GROUP BY t.gateway ORDER BY t.gateway`,
    Parameters.list(since),
    (row) => ({
      gateway: text.decode(row, "gateway"),
      count: int8.decode(row, "count"),
      failed: int8.decode(row, "failed"),
    }),
  )
