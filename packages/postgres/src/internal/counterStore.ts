/** Counters, the states of gateways on the nodes, and the attempts of webhooks. */
import { maxRead } from "@countersign/core/domain/messages/GatewayPeriod"
import { dayMillis } from "@countersign/core/domain/money/Total"
import type { CounterRows } from "@countersign/core/ports/CounterRows"
import * as Effect from "effect/Effect"
import type { Database } from "./database.ts"
import { counterRows, counters, gatewayPeriods, webhookAttempts } from "./rows/counterTables.ts"
import { rowType } from "./rows/rowTable.ts"

const { slot: _slot, writer: _writer, ...fields } = counters.fields
const sums = rowType(fields)

const most = Number.MAX_SAFE_INTEGER

const sumOf = (column: string): string =>
  `greatest(-${most}, least(${most}, sum(${column})))::int8 AS ${column}`

/** The newest of the rows that are added up has the last message. */
const newest = (column: string): string =>
  `(array_agg(${column} ORDER BY last_at DESC, writer))[1] AS ${column}`

export const makeCounterRows = ({ all, arrays, records, run, schema }: Database): CounterRows => ({
  counters: ({ from, kinds, slotMillis, subjects, to }) =>
    all(
      {
        sql: `SELECT kind, subject, hour, name, ${["count", "amount", "refunded"].map(sumOf).join(", ")},
            max(last_at) AS last_at, ${newest("last_organization")}, ${newest("last_sequence")}
          FROM ${schema}.counters
          WHERE kind = ANY ($1::text[]) AND slot = $2 AND subject = ANY ($3::text[]) AND hour >= $4 AND hour < $5
          GROUP BY hour, kind, subject, name
          HAVING sum(count) <> 0 OR sum(amount) <> 0 OR sum(refunded) <> 0
          ORDER BY hour, kind, subject, name`,
        params: [kinds, slotMillis === dayMillis ? "day" : "hour", subjects, from, to],
      },
      sums.decode,
    ),
  // In the order of the key, so that nodes that add to the same rows do not wait for each other in a circle.
  addCounters: (added) =>
    added.length === 0 || !records.totals
      ? Effect.void
      : run({
          sql: `INSERT INTO ${schema}.counters AS kept (${counters.list})
            SELECT given.* FROM unnest($1::${schema}.${counters.type}[]) AS given
            ORDER BY given.subject, given.slot, given.hour
            ON CONFLICT (${counters.key.join(", ")}) DO UPDATE SET count = kept.count + excluded.count`,
          params: [arrays(counters, counterRows(added, ""))],
        }),
  saveGatewayPeriods: (periods) =>
    periods.length === 0
      ? Effect.void
      : run({
          sql: `INSERT INTO ${schema}.gateway_periods (${gatewayPeriods.list})
            SELECT given.* FROM unnest($1::${schema}.${gatewayPeriods.type}[]) AS given
            ON CONFLICT (${gatewayPeriods.key.join(", ")}) DO UPDATE SET until = excluded.until,
              state = excluded.state, seen_at = excluded.seen_at, reason = excluded.reason,
              retry_at = excluded.retry_at, moved = excluded.moved`,
          params: [arrays(gatewayPeriods, periods)],
        }),
  gatewayPeriods: (gateway, from) =>
    all(
      {
        sql: `SELECT ${gatewayPeriods.list} FROM ${schema}.gateway_periods
          WHERE gateway = $1 AND (until IS NULL OR until >= $2) ORDER BY since DESC, node LIMIT ${maxRead}`,
        params: [gateway, from],
      },
      gatewayPeriods.decode,
    ),
  webhookAttempts: ({ before, event, from, isTaken, limit, organization, to, webhookId }) =>
    all(
      {
        sql: `SELECT ${webhookAttempts.list} FROM ${schema}.webhook_attempts
          WHERE organization = $1 AND webhook_id = $2 AND position < coalesce($3::int8, ${most})
            AND ($5::int8 IS NULL OR at >= $5::int8) AND ($6::int8 IS NULL OR at <= $6::int8)
            ${event === undefined ? "" : "AND sequence = $7::int8"}
            ${isTaken === undefined ? "" : `AND error IS ${isTaken ? "" : "NOT "}NULL`}
          ORDER BY position DESC LIMIT $4::int8`,
        params: [
          organization,
          webhookId,
          before,
          limit,
          from,
          to,
          ...(event === undefined ? [] : [event]),
        ],
      },
      webhookAttempts.decode,
    ),
})
