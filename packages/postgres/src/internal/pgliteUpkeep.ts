/**
 * The work that a PostgreSQL server does in the background. PGlite has no background: left alone, its
 * write-ahead log grows until it is closed, dead rows stay, and the planner knows no table's size.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

const interval = Duration.minutes(1)

/** A checkpoint is due after this many bytes of log. It bounds both the disk and the next start. */
const logBytesPerCheckpoint = 32 * 1024 * 1024

/** Looks once a minute what there is to do, for ever. The event loop waits while something is done. */
export const keepUp = (sql: SqlClient): Effect.Effect<void> =>
  keepUpOnce(sql).pipe(
    Effect.catchCause((cause) => Effect.logWarning("PGlite upkeep failed", cause)),
    Effect.delay(interval),
    Effect.repeat(Schedule.forever),
    Effect.asVoid,
  )

export const keepUpOnce = Effect.fnUntraced(function* (
  sql: SqlClient,
): Effect.fn.Return<void, SqlError> {
  // Counts of the last second may still be on their way; this brings them in.
  yield* sql`SELECT pg_stat_force_next_flush()`
  // The measures of autovacuum, with a higher floor: a small table is not worth the stop.
  const due = yield* sql<{ readonly schema: string; readonly name: string }>`
    SELECT schemaname AS schema, relname AS name FROM pg_stat_user_tables
    WHERE n_dead_tup > 1000 + n_live_tup / 5 OR n_mod_since_analyze > 1000 + n_live_tup / 10`
  for (const { schema, name } of due) yield* sql`VACUUM (ANALYZE) ${sql(schema)}.${sql(name)}`
  // After that, because freeing rows writes to the log as well.
  const [log] = yield* sql<{ readonly is_due: boolean }>`
    SELECT pg_current_wal_insert_lsn() - redo_lsn > ${logBytesPerCheckpoint} AS is_due
    FROM pg_control_checkpoint()`
  if (log?.is_due === true) yield* sql`CHECKPOINT`
})
