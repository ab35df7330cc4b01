/** The first connection of a start: waits for it, and finds out whether a pooler is in between. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError, sqlState } from "./failures.ts"

/** After this time the log says what the start waits for. */
export const noticeAfter = Duration.seconds(2)

/** SQLSTATEs of a server that has no connection free, or that is starting. */
export const isBusy = (error: SqlError): boolean =>
  ["53300", "57P03"].includes(sqlState(error) ?? "")

/** The id of the server's process that answers the connection now. */
export const processOf = (
  connection: PgConnection.PgConnection,
): Effect.Effect<unknown, SqlError> =>
  Effect.map(
    connection.query("SELECT pg_backend_pid() AS pid", [], false),
    ({ rows }) => rows[0]?.["pid"],
  )

/**
 * Whether the connection is through a pooler. A client gets the id of its server process at the start. Poolers invent
 * one, because the process changes.
 */
export const isPooled = (connection: PgConnection.PgConnection): Effect.Effect<boolean, SqlError> =>
  Effect.map(processOf(connection), (pid) => pid !== connection.processId)

/** Waits for one session, at most for `limit`, and returns {@link isPooled}. */
export const probe = (
  config: PgConnection.Config,
  limit: Duration.Duration,
): Effect.Effect<boolean, SqlError> => {
  const within = Duration.format(limit)
  const asked = Effect.scoped(
    Effect.flatMap(
      PgConnection.make({ ...config, connectTimeout: Duration.times(limit, 2), multiplex: true }),
      isPooled,
    ),
  ).pipe(Effect.retry({ while: isBusy, schedule: Schedule.spaced("250 millis") }))
  const notice = Effect.delay(
    Effect.logWarning(
      `The database has given no session yet. The start waits for one, at most ${within}. All connections of the server or its pooler may be in use.`,
    ),
    noticeAfter,
  )
  return Effect.raceFirst(asked, Effect.andThen(notice, Effect.never)).pipe(
    Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(noSession(within)) }),
  )
}

const noSession = (within: string) =>
  connectionError(
    `The database gave no session within ${within}. Its address does not answer, or all connections of the server or its pooler are in use.`,
    "connect",
  )
