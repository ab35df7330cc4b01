/**
 * Does the background work of a server for PGlite. Without it, the write-ahead log grows until PGlite is closed,
 * dead rows stay, and the planner does not know the sizes of tables.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

const interval = Duration.minutes(1)

/** Number of log bytes after which a checkpoint is due. It limits the disk usage and the time of the next start. */
const logBytesPerCheckpoint = 32 * 1024 * 1024

/** Checks once a minute for work, without end. The work blocks the event loop. */
export const keepUp = (sql: SqlClient): Effect.Effect<void> =>
  keepUpOnce(sql).pipe(
    Effect.catchCause((cause) => Effect.logWarning("PGlite maintenance failed", cause)),
    Effect.delay(interval),
    Effect.repeat(Schedule.forever),
    Effect.asVoid,
  )

export const keepUpOnce = Effect.fnUntraced(function* (
  sql: SqlClient,
): Effect.fn.Return<void, SqlError> {
  // Flushes the statistics, because counts of the last second may be pending.
  yield* sql`SELECT pg_stat_force_next_flush()`
  // The thresholds of autovacuum, with a higher minimum, because a small table is not worth the pause.
  const due = yield* sql<{ readonly schema: string; readonly name: string }>`
    SELECT schemaname AS schema, relname AS name FROM pg_stat_user_tables
    WHERE n_dead_tup > 1000 + n_live_tup / 5 OR n_mod_since_analyze > 1000 + n_live_tup / 10`
  for (const { schema, name } of due) yield* sql`VACUUM (ANALYZE) ${sql(schema)}.${sql(name)}`
  // Runs after the vacuum, because freeing rows writes to the log as well.
  const [log] = yield* sql<{ readonly is_due: boolean }>`
    SELECT pg_current_wal_insert_lsn() - redo_lsn > ${logBytesPerCheckpoint} AS is_due
    FROM pg_control_checkpoint()`
  if (log?.is_due === true) yield* sql`CHECKPOINT`
})
