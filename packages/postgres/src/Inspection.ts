/**
 * Reads the state of a database for its operator. Changes nothing, and reads a limited number of rows.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { firstRequestToKeep } from "@countersign/core/decide/maintenance/Pruning"
import { dayMillis } from "@countersign/core/domain/money/Total"
import { isMessageId, sortableTime } from "@countersign/core/domain/values/Ids"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import * as Durability from "./internal/connection/durability.ts"
import type { Value } from "./internal/connection/parameters.ts"
import { isPooled, processOf } from "./internal/connection/probe.ts"
import { makeQuery, makeReader } from "./internal/connection/query.ts"
import type { NumberKey } from "./internal/numbers/cipher.ts"
import * as NumberKeys from "./internal/numbers/registry.ts"
import { bool, int8, orNull, type Row, text } from "./internal/rows/columns.ts"
import { rowType } from "./internal/rows/rowTable.ts"
import { money } from "./internal/rows/tables.ts"
import { quoteIdentifier } from "./internal/schema/migrate.ts"
import { databaseNow } from "./internal/statements/batchReads.ts"

/** The server, and the role that is connected to it. */
export interface Server extends Durability.Durability {
  readonly version: string
  /** Epoch milliseconds of the server's clock. */
  readonly now: number
  readonly role: string
  readonly isSuperuser: boolean
  /** Whether it is a replica, which cannot be written to. */
  readonly isReplica: boolean
  /** The limit of the connection, such as `2s`; `0` for no limit. */
  readonly lockTimeout: string
  readonly statementTimeout: string
  readonly idleInTransactionTimeout: string
}

/** The problems of a session's settings under which a commit can be lost. */
export const durabilityRisks = Durability.risksOf

/** Fails with the error of the connection. */
export const server: Effect.Effect<Server, SqlError, PgPool.PgPool> = Effect.gen(function* () {
  const pool = yield* PgPool.PgPool
  const { rows } = yield* pool.use((connection) =>
    connection.query(`SELECT current_setting('server_version') AS version,
      ${databaseNow} AS now, current_user::text AS role,
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
      pg_is_in_recovery() AS is_replica,
      current_setting('lock_timeout') AS lock_timeout,
      current_setting('statement_timeout') AS statement_timeout,
      current_setting('idle_in_transaction_session_timeout') AS idle_in_transaction_timeout,
      ${Durability.columns}`),
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
  lockTimeout: text,
  statementTimeout: text,
  idleInTransactionTimeout: text,
})

/**
 * `none`: the connections go to the server directly. `transaction`: a pooler gives a connection to each transaction.
 * `unknown`: a pooler is in between, in session mode or in another way that cannot be seen.
 */
export type Pooler = "none" | "transaction" | "unknown"

/** How long a pooler may take to give a second session. */
const secondSession = Duration.seconds(2)

/** Finds out whether a pooler is between this process and the server. */
export const pooler: Effect.Effect<Pooler, SqlError, PgPool.PgPool> = Effect.gen(function* () {
  const pool = yield* PgPool.PgPool
  const first = yield* pool.get
  if (!(yield* isPooled(first))) return "none"
  const pid = yield* processOf(first)
  // In session mode, two open connections never have the same session.
  const second = Effect.flatMap(pool.get, processOf)
  const other = yield* Effect.timeoutOption(second, secondSession)
  return Option.contains(other, pid) ? "transaction" : "unknown"
}).pipe(Effect.scoped)

const select = <A>(sql: string, params: ReadonlyArray<Value>, decode: (row: Row) => A) =>
  PgPool.PgPool.use((pool) => makeReader(makeQuery(pool)).all({ sql, params }, decode))

/** Whether the role may not use a schema that exists. Its tables then look as if they were missing. */
export const isLockedOut = (schema: string) =>
  Effect.map(
    select(
      "SELECT NOT has_schema_privilege(oid, 'USAGE') AS locked_out FROM pg_namespace WHERE nspname = $1",
      [schema],
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
    [schema],
    rowType({ table: text, rights: text }).decode,
  )

/** The ids of the secrets that webhooks, and codes that can still be checked, need. */
export const usedCodeSecrets = (schema: string, now: number) => {
  const quoted = quoteIdentifier(schema)
  return select(
    `SELECT DISTINCT pepper COLLATE "C" AS pepper FROM (
        SELECT s ->> 'pepper' AS pepper FROM ${quoted}.webhooks w, jsonb_array_elements(w.secrets) s
          WHERE coalesce((s ->> 'until')::int8 > $1, true)
        UNION ALL
        SELECT v.pepper FROM ${quoted}.accounts a, LATERAL (
          SELECT DISTINCT pepper FROM ${quoted}.verifications
            WHERE organization = a.organization AND request_id >= $2
              AND status = 'pending' AND expires_at > $1) v
      ) used ORDER BY 1`,
    // The id of a request contains its time, and no request lives longer than a day.
    [now, firstRequestToKeep(now - dayMillis)],
    (row) => text.decode(row, "pepper"),
  )
}

/** Checks the keys of phone numbers, as the start of a store does, and registers none. */
export const checkNumberKeys = (
  schema: string,
  keys: ReadonlyArray<NumberKey>,
): Effect.Effect<void, NumberKeys.NumberKeyError | StoreUnavailable, PgPool.PgPool> =>
  PgPool.PgPool.use((pool) => NumberKeys.check(quoteIdentifier(schema), makeQuery(pool), keys))

/** Maximum number of organizations without a sender that are listed. */
export const maxWithoutSender = 20

/** Organizations that are not suspended and have no approved default sender; at most 20, by id. */
export const withoutDefaultSender = (schema: string) =>
  select(
    `SELECT o.id FROM ${quoteIdentifier(schema)}.organizations o
      WHERE o.settings -> 'isSuspended' = 'false' AND NOT EXISTS (
        SELECT FROM ${quoteIdentifier(schema)}.brands b
          WHERE b.organization = o.id AND b.is_default AND b.status = 'approved')
      ORDER BY o.id LIMIT ${maxWithoutSender}`,
    [],
    (row) => text.decode(row, "id"),
  )

/** Maximum number of webhooks in trouble that are listed. */
export const maxWebhooks = 100

/** Enabled webhooks whose deliveries have ended, or have failed since `before`; the longest in trouble first. */
export const troubledWebhooks = (schema: string, before: number) =>
  select(
    `SELECT p.organization, p.id, p.status, p.troubled_since, p.last_error
      FROM ${quoteIdentifier(schema)}.webhook_progress p JOIN ${quoteIdentifier(schema)}.webhooks w USING (organization, id)
      WHERE w.is_enabled AND (p.status <> 'active' OR p.troubled_since <= $1)
      ORDER BY p.troubled_since NULLS FIRST, p.organization, p.id LIMIT ${maxWebhooks}`,
    [before],
    rowType({
      organization: text,
      id: text,
      status: text,
      troubledSince: orNull(int8),
      lastError: orNull(text),
    }).decode,
  )

/** Maximum number of overdue messages that are counted. */
export const maxOverdue = 10_000

/** The messages that settlement should have taken up before a time. `count` is at most `maxOverdue`. */
export const overdueMessages = (schema: string, before: number) =>
  Effect.map(
    select(
      `SELECT count(*) AS count, min(due_at) AS oldest FROM (
        SELECT due_at FROM ${quoteIdentifier(schema)}.open_messages
          WHERE due_at <= $1 ORDER BY due_at LIMIT ${maxOverdue}) due`,
      [before],
      rowType({ count: int8, oldest: orNull(int8) }).decode,
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
    [before],
    rowType({ gateway: text, count: int8 }).decode,
  )

/** The messages of each gateway since a time, of all organizations: all of them, and those that it did not take. */
export const gatewayOutcomes = (schema: string, since: number) =>
  select(
    `SELECT t.gateway, sum(t.count)::int8 AS count,
        coalesce(sum(t.count) FILTER (WHERE split_part(t.outcome, '/', 1) IN ('failed', 'rejected')), 0)::int8 AS failed
      FROM ${quoteIdentifier(schema)}.accounts a, LATERAL (
        SELECT gateway, outcome, count FROM ${quoteIdentifier(schema)}.totals
          WHERE organization = a.organization AND kind = 'messages' AND slot = 'hour' AND hour >= $1) t
      GROUP BY t.gateway ORDER BY t.gateway`,
    [since],
    rowType({ gateway: text, count: int8, failed: int8 }).decode,
  )

/** Maximum number of organizations whose newest messages are read, and of these messages of each. */
const newest = { organizations: 100, messages: 20 }

/** The organizations that were active since `$1`, as a table `a`. */
const active = (schema: string) => `(SELECT organization FROM ${quoteIdentifier(schema)}.accounts
    WHERE last_at >= $1 AND last_message > 0 ORDER BY last_at DESC LIMIT ${newest.organizations}) a`

/** The newest messages of an organization `a`, as a table `m`. */
const newestMessages = (schema: string, where = "true") => `LATERAL (
    SELECT * FROM (SELECT * FROM ${quoteIdentifier(schema)}.messages
      WHERE organization = a.organization ORDER BY sequence DESC LIMIT ${newest.messages}) m
    WHERE ${where}) m`

/** How far the clocks of nodes were from the clock of the database, in milliseconds. */
export interface NodeClocks {
  readonly ahead: number
  readonly behind: number
}

/**
 * Compares the times in the ids of the newest messages, which nodes have set, with the times of their commits. A queued
 * send has got its id earlier, and does not count.
 */
export const nodeClocks = (schema: string, since: number) =>
  Effect.map(
    select(
      `SELECT m.id, m.created_at FROM ${active(schema)}, ${newestMessages(schema)}
        WHERE NOT EXISTS (SELECT FROM ${quoteIdentifier(schema)}.outbox o
          WHERE o.organization = m.organization AND o.id = m.id)`,
      [since],
      rowType({ id: text, createdAt: int8 }).decode,
    ),
    (messages): NodeClocks => {
      const apart = messages.flatMap(({ createdAt, id }) =>
        isMessageId(id) ? [sortableTime(id) - createdAt] : [],
      )
      return { ahead: Math.max(0, ...apart), behind: Math.max(0, ...apart.map((one) => -one)) }
    },
  )

/** A bound on connections, and how many are open under it. */
export interface ConnectionBound {
  readonly of: "server" | "database" | "role"
  readonly max: number
  readonly used: number
}

/** The bounds on connections that this role has on this database. */
export const connectionBounds = Effect.map(
  select(
    `SELECT current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8 AS server_max,
      count(*) AS server_used, d.datconnlimit::int8 AS database_max,
      count(*) FILTER (WHERE s.datid = d.oid) AS database_used, r.rolconnlimit::int8 AS role_max,
      count(*) FILTER (WHERE s.usesysid = r.oid) AS role_used
    FROM pg_database d, pg_roles r, pg_stat_activity s
    WHERE d.datname = current_database() AND r.rolname = current_user AND s.backend_type = 'client backend'
    GROUP BY d.datconnlimit, r.rolconnlimit`,
    [],
    rowType({
      serverMax: int8,
      serverUsed: int8,
      databaseMax: int8,
      databaseUsed: int8,
      roleMax: int8,
      roleUsed: int8,
    }).decode,
  ),
  ([found]): ReadonlyArray<ConnectionBound> =>
    found === undefined
      ? []
      : [
          { of: "server", max: found.serverMax, used: found.serverUsed } as const,
          { of: "database", max: found.databaseMax, used: found.databaseUsed } as const,
          { of: "role", max: found.roleMax, used: found.roleUsed } as const,
          // -1: there is no bound.
        ].filter(({ max }) => max >= 0),
)

/** An index counts as bloated from this size in bytes, and this many times of what its entries need. */
export const bloated = { bytes: 8 * 1024 * 1024, times: 4 }

/** Indexes that are much larger than their entries, as the statistics of the last `ANALYZE` say; the largest first. */
export const bloatedIndexes = (schema: string) =>
  select(
    `SELECT i.relname::text AS index, pg_relation_size(i.oid) AS bytes,
        (i.reltuples * (w.width + 16))::int8 AS needed
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
        JOIN pg_namespace n ON n.oid = i.relnamespace, LATERAL (
          SELECT coalesce(sum(coalesce(s.avg_width, 8)), 8) AS width FROM pg_attribute c
            LEFT JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = t.relname AND s.attname = c.attname
          WHERE c.attrelid = t.oid AND c.attnum = ANY (x.indkey::int2[])) w
      WHERE n.nspname = $1 AND i.relkind = 'i' AND i.reltuples >= 0
        AND pg_relation_size(i.oid) >= $2
        AND pg_relation_size(i.oid) > $3 * i.reltuples * (w.width + 16)
      ORDER BY 2 DESC LIMIT 20`,
    [schema, bloated.bytes, bloated.times],
    rowType({ index: text, bytes: int8, needed: int8 }).decode,
  )

/**
 * The oldest message after which no sealed code was erased, although every code has ended by `before`. Each round of
 * retention erases them. `null`: none waits.
 */
export const unerasedSince = (schema: string, before: number) =>
  Effect.map(
    select(
      `SELECT min(m.created_at) AS oldest FROM ${quoteIdentifier(schema)}.accounts a, LATERAL (
          SELECT created_at FROM ${quoteIdentifier(schema)}.messages
          WHERE organization = a.organization AND sequence = greatest(a.codes_erased_to + 1, a.first_message)) m
        WHERE a.codes_erased_to < a.last_message AND m.created_at <= $1`,
      [before],
      rowType({ oldest: orNull(int8) }).decode,
    ),
    ([found = { oldest: null }]) => found.oldest,
  )

/** Organizations whose balance does not cover a message like their last one; at most 20, by id. */
export const withoutBalance = (schema: string) =>
  select(
    `SELECT a.organization AS id, a.balance, m.charge
      FROM ${quoteIdentifier(schema)}.accounts a JOIN ${quoteIdentifier(schema)}.messages m
        ON m.organization = a.organization AND m.sequence = a.last_message
      WHERE a.balance < m.charge ORDER BY a.organization LIMIT ${maxWithoutSender}`,
    [],
    rowType({ id: text, balance: money, charge: money }).decode,
  )

/** The gateways that have refused the account of the host, among the newest messages, with one of their texts. */
export const accountRejections = (schema: string, since: number) =>
  select(
    `SELECT m.gateway, count(*) AS count, max(coalesce(m.error, '')) AS error
      FROM ${active(schema)}, ${newestMessages(schema, "failure_reason = 'account' AND created_at >= $1")}
      GROUP BY m.gateway ORDER BY m.gateway`,
    [since],
    rowType({ gateway: text, count: int8, error: text }).decode,
  )
