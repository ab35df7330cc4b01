/**
 * The scans that delete rows which belong to no organization's history and would accumulate. They skip rows that
 * another transaction has locked, because waiting could cause a deadlock; the next scan finds them.
 */
import { bounds } from "@countersign/core/domain/limits/Limits"
import * as GatewayPeriod from "@countersign/core/domain/messages/GatewayPeriod"
import { keptMillis } from "@countersign/core/domain/money/Counter"
import * as WebhookAttempt from "@countersign/core/domain/webhooks/WebhookAttempt"
import { int8, text } from "../rows/columns.ts"
import { databaseNow } from "../statements/batchReads.ts"
import type { TableScan } from "./tableScan.ts"

export const rowsPerStep = 1_000

interface Scanned {
  readonly name: string
  readonly table: string
  /** The column that is the key within an organization. */
  readonly key: string
  /** Whether the row `r` is deleted. `now` is the time, in epoch milliseconds. */
  readonly isOver: (now: string) => string
}

/** Scans a table along its primary key. Rows are deleted by their physical places, which has a single plan. */
const byKey =
  ({ isOver, key, name, table }: Scanned) =>
  (schema: string): TableScan => ({
    name,
    step: (after = { organization: "", [key]: "" }, now) => ({
      sql: `WITH page AS MATERIALIZED (
        SELECT organization, ${key} FROM ${schema}.${table}
        WHERE (organization, ${key}) > ($1::text, $2::text)
        ORDER BY organization, ${key} LIMIT ${rowsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM page, LATERAL (
          SELECT r.ctid, r.organization, r.${key} FROM ${schema}.${table} r
          WHERE r.organization = page.organization AND r.${key} = page.${key}
            AND ${isOver(`coalesce($3::int8, ${databaseNow})`)}
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.${table} r WHERE r.ctid = ANY (ARRAY(SELECT ctid FROM old))
          AND ((r.organization, r.${key}) IN (SELECT organization, ${key} FROM old)) IS TRUE
      )
      SELECT organization, ${key} FROM page ORDER BY organization DESC, ${key} DESC LIMIT 1`,
      params: [text.decode(after, "organization"), text.decode(after, key), now],
    }),
  })

/** Lanes that have signed nothing for seven days. `schema` is quoted. */
export const lanes = byKey({
  name: "lanes",
  table: "lanes",
  key: "id",
  isOver: (now) => `r.seen_at < to_timestamp(${now} / 1000.0) - interval '7 days'`,
})

/**
 * Clients without an event in the longest window. Such a row has no effect, so it may be deleted at any later time. A
 * batch that has read it may write it again.
 */
export const clients = byKey({
  name: "clients",
  table: "clients",
  key: "client",
  isOver: (now) =>
    `${now} - ${bounds.windowMillis.max} > greatest(
              r.sends[cardinality(r.sends)], r.checks[cardinality(r.checks)])`,
})

/** The limits of erased numbers that have expired. Every decision ignores them, and writes no such row again. */
export const erasedRecipients = byKey({
  name: "limits of erased numbers",
  table: "erased_recipients",
  key: "digest",
  isOver: (now) => `r.expires_at <= ${now}`,
})

/**
 * Expired idempotency keys. Every decision ignores them, so no lock of an organization is needed. A key that is
 * used again has a later expiry and stays.
 */
export const idempotencyKeys = byKey({
  name: "idempotency keys",
  table: "idempotency_keys",
  key: "id",
  isOver: (now) => `r.expires_at <= ${now}`,
})

/**
 * Expired ids of gateways, except the ids of open messages. A final message gets no further id. So a row that may be
 * deleted once may be deleted at any later time, and no lock of an organization is needed. The next scan finds ids that
 * a step has left because they expired at the same moment.
 */
export const gatewayIds = (schema: string): TableScan => ({
  name: "gateway ids",
  step: (after = { expires_at: -1 }, now) => ({
    sql: `WITH page AS MATERIALIZED (
        SELECT organization, sequence, expires_at FROM ${schema}.gateway_ids
        WHERE expires_at > $1 AND expires_at <= (SELECT coalesce($2::int8, ${databaseNow}))
        ORDER BY expires_at LIMIT ${rowsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM page, LATERAL (
          SELECT g.organization, g.sequence FROM ${schema}.gateway_ids g
          WHERE g.organization = page.organization AND g.sequence = page.sequence
            AND (g.expires_at <= page.expires_at) IS TRUE AND NOT EXISTS (
              SELECT FROM ${schema}.open_messages m
              WHERE m.organization = page.organization AND m.sequence = page.sequence)
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.gateway_ids g USING old
        WHERE g.organization = old.organization AND g.sequence = old.sequence
      )
      SELECT expires_at FROM page ORDER BY expires_at DESC LIMIT 1`,
    params: [int8.decode(after, "expires_at"), now],
  }),
})

/** How long a queued send waits for its organization to be created, in milliseconds. */
export const unownedMillis = 86_400_000

/**
 * Queued sends whose organization does not exist, which no node takes. Each organization costs one look-up. A step
 * drops sends of the first one that does not exist, and is repeated if there may be more of them.
 */
export const unownedSends = (schema: string): TableScan => {
  const nextOwner = (after: string) =>
    `SELECT organization FROM ${schema}.outbox WHERE organization > ${after} ORDER BY organization LIMIT 1`
  return {
    name: "queued sends whose organization does not exist",
    step: (after = { organization: "" }, now) => ({
      sql: `WITH RECURSIVE owners AS (
          (${nextOwner("$1::text")})
          UNION ALL
          SELECT n.organization FROM owners o, LATERAL (${nextOwner("o.organization")}) n
        ), page AS MATERIALIZED (
          SELECT o.organization, a.is_known FROM owners o LEFT JOIN LATERAL (
            SELECT true AS is_known FROM ${schema}.accounts a WHERE a.organization = o.organization OFFSET 0) a ON true
          LIMIT ${rowsPerStep}
        ), unknown AS MATERIALIZED (
          SELECT min(organization) FILTER (WHERE is_known IS NULL) AS organization, max(organization) AS last FROM page
        ), old AS MATERIALIZED (
          SELECT o.* FROM unknown s, LATERAL (
            SELECT r.organization, r.id FROM ${schema}.outbox r WHERE r.organization = s.organization
              AND r.created_at <= coalesce($2::int8, ${databaseNow}) - ${unownedMillis}
            LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED) o
        ), gone AS (
          DELETE FROM ${schema}.outbox r USING old WHERE r.organization = old.organization AND r.id = old.id
          RETURNING r.id
        ), dropped AS (SELECT count(*) AS dropped FROM gone)
        SELECT CASE WHEN d.dropped = ${rowsPerStep} THEN $1 ELSE coalesce(s.organization, s.last) END AS organization,
          d.dropped, s.organization AS owner
        FROM unknown s, dropped d WHERE s.last IS NOT NULL`,
      params: [text.decode(after, "organization"), now],
    }),
  }
}

/** Deletes the rows whose time, which an index finds, is before a bound. A step is repeated while it finds a full page. */
const byTime =
  (name: string, table: string, isOver: (now: string) => string) =>
  (schema: string): TableScan => ({
    name,
    step: (_after, now) => ({
      sql: `WITH old AS MATERIALIZED (
        SELECT r.ctid FROM ${schema}.${table} r WHERE ${isOver(`coalesce($1::int8, ${databaseNow})`)}
        LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM ${schema}.${table} r WHERE r.ctid = ANY (ARRAY(SELECT ctid FROM old))
          AND (${isOver(`coalesce($1::int8, ${databaseNow})`)}) RETURNING 1
      )
      SELECT 1 AS more FROM gone HAVING count(*) = ${rowsPerStep}`,
      params: [now],
    }),
  })

/** Counters of hours and days that are over. */
export const counters = byTime(
  "counters",
  "counters",
  (now) =>
    `r.slot = 'hour' AND r.hour < ${now} - ${keptMillis.hour} OR r.slot = 'day' AND r.hour < ${now} - ${keptMillis.day}`,
)

/** Attempts of webhooks. */
export const webhookAttempts = byTime(
  "attempts of webhooks",
  "webhook_attempts",
  (now) => `r.at < ${now} - ${WebhookAttempt.keptMillis}`,
)

/** States of gateways that have ended, and the states of nodes that have stopped. */
export const gatewayPeriods = byTime(
  "states of gateways",
  "gateway_periods",
  (now) => `r.seen_at < ${now} - ${GatewayPeriod.keptMillis}`,
)

export const all = [
  lanes,
  clients,
  erasedRecipients,
  gatewayIds,
  idempotencyKeys,
  unownedSends,
  counters,
  webhookAttempts,
  gatewayPeriods,
]
