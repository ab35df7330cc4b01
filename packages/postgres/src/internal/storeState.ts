/** The state of the store: whether it can serve, and the numbers that operators watch. */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Money from "@countersign/core/domain/values/Money"
import type { Connections, StoreState, StoreSummary } from "@countersign/core/ports/StoreState"
import * as Effect from "effect/Effect"
import * as Migrations from "../Migrations.ts"
import { connectionLost } from "./connection/query.ts"
import type { Database } from "./database.ts"
import { int8, parsed, type Row } from "./rows/columns.ts"
import { rowType } from "./rows/rowTable.ts"
import { databaseNow } from "./statements/batchReads.ts"
import { oldestDue } from "./statements/outboxSql.ts"

export interface Options {
  readonly pool: PgPool.PgPool
  readonly migrations: Migrations.Options
  readonly connections: Effect.Effect<Connections>
  readonly rowsInMemory: Effect.Effect<number>
}

/** The times of the oldest work, and sums over all organizations. `$1`: the time, if it is not the database's. */
const summarySql = (schema: string): string => `WITH RECURSIVE moment AS (
    SELECT coalesce($1::int8, ${databaseNow}) AS now
  ), enabled AS (
    SELECT w.organization, p.retries, p.retry_at, coalesce(p.lease_until, 0) AS lease_until,
      coalesce(p.position, w.starts_after) AS position
    FROM ${schema}.webhooks w LEFT JOIN ${schema}.webhook_progress p USING (organization, id)
    WHERE w.is_enabled AND coalesce(p.status, 'active') = 'active'
  ), waiting AS (
    SELECT e.at FROM enabled w, LATERAL (SELECT at FROM ${schema}.events
      WHERE organization = w.organization AND sequence > w.position ORDER BY sequence LIMIT 1) e
    UNION ALL
    SELECT (r ->> 'firstAt')::int8 FROM enabled w, jsonb_array_elements(w.retries) r
  ), oldest AS (
    SELECT now,
      (SELECT due_at FROM ${schema}.open_messages ORDER BY due_at LIMIT 1) AS settlement,
      ${oldestDue(schema)} AS outbox,
      (SELECT min(retry_at) FROM enabled WHERE lease_until <= now) AS webhooks,
      (SELECT min(at) FROM waiting) AS events
    FROM moment
  ), sums AS (
    SELECT count(*) FILTER (WHERE is_suspended) AS suspended,
      count(*) FILTER (WHERE NOT is_suspended AND NOT has_sender) AS no_sender,
      count(*) FILTER (WHERE NOT is_suspended AND has_sender AND is_short) AS no_balance,
      coalesce(sum(held), 0)::int8 AS held
    FROM (
      SELECT a.held, o.settings -> 'isSuspended' = 'true' AS is_suspended,
        EXISTS (SELECT FROM ${schema}.brands b
          WHERE b.organization = o.id AND b.is_default AND b.status = 'approved') AS has_sender,
        a.balance < coalesce((SELECT m.charge FROM ${schema}.messages m
          WHERE m.organization = o.id AND m.sequence = a.last_message), 0) AS is_short
      FROM ${schema}.organizations o JOIN ${schema}.accounts a ON a.organization = o.id) organizations
  )
  SELECT sums.*, greatest(0, now - coalesce(settlement, now)) AS settlement,
    greatest(0, now - coalesce(outbox, now)) AS outbox,
    greatest(0, now - coalesce(webhooks, now)) AS webhooks,
    greatest(0, now - coalesce(events, now)) AS events FROM oldest, sums`

const lags = rowType({ settlement: int8, outbox: int8, webhooks: int8, events: int8 })
const unable = rowType({ suspended: int8, noSender: int8, noBalance: int8 })
const amount = rowType({ held: parsed(int8, Money.fromUnits) })

const decodeSummary = (row: Row): StoreSummary => ({
  lags: lags.decode(row),
  unableToSend: unable.decode(row),
  ...amount.decode(row),
})

export const makeStoreState = (
  { clock, query, schema }: Database,
  { connections, migrations, pool, rowsInMemory }: Options,
): StoreState => ({
  isMigrated: Migrations.check(migrations).pipe(
    Effect.provideService(PgPool.PgPool, pool),
    Effect.as(true),
    Effect.catch(({ reason }) =>
      reason === "MigrationFailed" ? Effect.fail(connectionLost) : Effect.succeed(false),
    ),
  ),
  connections,
  rowsInMemory,
  summary: Effect.flatMap(clock.hostNow, (hostNow) =>
    Effect.map(query({ sql: summarySql(schema), params: [hostNow] }), ([row]) =>
      decodeSummary(row ?? {}),
    ),
  ),
})
