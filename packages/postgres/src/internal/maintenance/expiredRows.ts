/**
 * The scans that delete rows which belong to no organization's history and would accumulate. They skip rows that
 * another transaction has locked, because waiting could cause a deadlock; the next scan finds them.
 */
import { bounds } from "@countersign/core/domain/Limits"
import * as Parameters from "../connection/parameters.ts"
import { int8, text } from "../rows/columns.ts"
import { databaseNow } from "../statements/batchReads.ts"
import type { TableScan } from "./tableScan.ts"

export const rowsPerStep = 1_000

/** Lanes that have signed nothing for seven days. `schema` is quoted. */
export const lanes = (schema: string): TableScan => ({
  name: "lanes",
  step: (after = { organization: "", id: "" }, now) => ({
    sql: `WITH page AS MATERIALIZED (
        SELECT organization, id FROM ${schema}.lanes WHERE (organization, id) > ($1::text, $2::text)
        ORDER BY organization, id LIMIT ${rowsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM page, LATERAL (
          SELECT l.organization, l.id FROM ${schema}.lanes l
          WHERE l.organization = page.organization AND l.id = page.id
            AND l.seen_at < coalesce(to_timestamp($3::int8 / 1000.0), now()) - interval '7 days'
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.lanes l USING old
        WHERE l.organization = old.organization AND l.id = old.id
      )
      SELECT organization, id FROM page ORDER BY organization DESC, id DESC LIMIT 1`,
    params: Parameters.list(text.decode(after, "organization"), text.decode(after, "id"), now),
  }),
})

/**
 * Clients without an event in the longest window. Such a row has the effect of none, so it may be deleted at any
 * later time, and a batch that has read it may write it again.
 */
export const clients = (schema: string): TableScan => ({
  name: "clients",
  step: (after = { organization: "", client: "" }, now) => ({
    sql: `WITH page AS MATERIALIZED (
        SELECT organization, client FROM ${schema}.clients
        WHERE (organization, client) > ($1::text, $2::text)
        ORDER BY organization, client LIMIT ${rowsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM page, LATERAL (
          SELECT c.organization, c.client FROM ${schema}.clients c
          WHERE c.organization = page.organization AND c.client = page.client
            AND coalesce($3::int8, ${databaseNow}) - ${bounds.windowMillis.max} > greatest(
              c.sends[cardinality(c.sends)], c.checks[cardinality(c.checks)])
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.clients c USING old
        WHERE c.organization = old.organization AND c.client = old.client
      )
      SELECT organization, client FROM page ORDER BY organization DESC, client DESC LIMIT 1`,
    params: Parameters.list(text.decode(after, "organization"), text.decode(after, "client"), now),
  }),
})

/**
 * Expired idempotency keys. Every decision ignores them, so no lock of an organization is needed. A key that is
 * used again has a later expiry and stays. Rows are deleted by their physical places, which has a single plan.
 */
export const idempotencyKeys = (schema: string): TableScan => ({
  name: "idempotency keys",
  step: (after = { organization: "", id: "" }, now) => ({
    sql: `WITH page AS MATERIALIZED (
        SELECT organization, id FROM ${schema}.idempotency_keys
        WHERE (organization, id) > ($1::text, $2::text) ORDER BY organization, id LIMIT ${rowsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM page, LATERAL (
          SELECT k.ctid, k.organization, k.id FROM ${schema}.idempotency_keys k
          WHERE k.organization = page.organization AND k.id = page.id
            AND k.expires_at <= coalesce($3::int8, ${databaseNow})
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.idempotency_keys k WHERE k.ctid = ANY (ARRAY(SELECT ctid FROM old))
          AND ((k.organization, k.id) IN (SELECT organization, id FROM old)) IS TRUE
      )
      SELECT organization, id FROM page ORDER BY organization DESC, id DESC LIMIT 1`,
    params: Parameters.list(text.decode(after, "organization"), text.decode(after, "id"), now),
  }),
})

/**
 * Expired ids of gateways, except those of open messages. A final message gets no further id, so a row that may
 * be deleted once may be deleted at any later time, and no lock of an organization is needed. The next scan finds
 * ids that a step has left because they expired at the same moment.
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
    params: Parameters.list(int8.decode(after, "expires_at"), now),
  }),
})
