/**
 * Batches of statements on a connection of `@effect/sql-pg`, in one round trip each.
 *
 * A transaction takes two round trips. Only after the first is it certain that a transaction is open, and a
 * write behind a failed `BEGIN` would be committed on its own.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import type { Value } from "./parameters.ts"
import { type Answer, sessionOf, type Statement } from "./session.ts"

export type { Statement } from "./session.ts"

/** A statement that is not prepared by name, because it runs once or is short. */
export const unprepared = (sql: string, ...params: ReadonlyArray<Value>): Statement => ({
  sql,
  params,
  prepare: false,
})

export const begin = unprepared("BEGIN")
export const rollback = unprepared("ROLLBACK")
export const commit = unprepared("COMMIT")

/**
 * Sends all statements in one write and returns their results in order. Fails with the error of the first that
 * failed, or if `COMMIT` rolled back. The server ignores the statements after a failure, and outside of a
 * transaction it undoes those before. If a value cannot be encoded, the batch fails before it sends anything.
 */
export const runBatch = (
  connection: PgConnection.PgConnection,
  statements: ReadonlyArray<Statement>,
): Effect.Effect<ReadonlyArray<Answer>, SqlError> =>
  Effect.callback((resume) => sessionOf(connection).run(statements, resume))

const rollbackTimeout = Duration.seconds(5)

/**
 * Lends a connection and takes it back in a clean state. If `use` fails, an open transaction is rolled back. If
 * `use` is interrupted or dies, or the rollback fails, the connection is closed. Interrupting a batch does not
 * stop it: the server executes what was sent, `COMMIT` included.
 */
export const lend = <A, E, R>(
  pool: PgPool.PgPool,
  use: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | SqlError, R> =>
  pool.use((connection) =>
    use(connection).pipe(
      Effect.onExit((exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        const onlyFailed = exit.cause.reasons.every((reason) => reason._tag === "Fail")
        if (!onlyFailed) return pool.invalidate(connection)
        if (!sessionOf(connection).isInTransaction) return Effect.void
        return runBatch(connection, [rollback]).pipe(
          Effect.timeout(rollbackTimeout),
          Effect.catch(() => pool.invalidate(connection)),
        )
      }),
    ),
  )
