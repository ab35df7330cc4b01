/**
 * Several statements in one round trip.
 *
 * `@effect/sql-pg` pipelines what different fibers send on one connection: statements started in the same
 * tick go out in a single write and are answered in order. That takes a connection made with
 * `multiplex: true` that is not pinned, so `withTransaction` and `PgPool.reserve` are of no use here.
 * A pool with `multiplexConcurrency: 1` lends each of its connections to one borrower at a time.
 *
 * ```ts
 * lend(pool, Effect.fnUntraced(function* (connection) {
 *   const [, rows] = yield* runBatch(connection, [begin, selectForUpdate])
 *   yield* runBatch(connection, [...writes(rows), commit])
 * }))
 * ```
 *
 * Two trips, not one: only after the first is it certain that a transaction is open, and a write that
 * came behind a failed `BEGIN` would be committed on its own.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { SqlError, UnknownError } from "effect/sql/SqlError"

export interface Statement {
  readonly sql: string
  readonly params?: ReadonlyArray<unknown>
  /** Whether it is prepared by name. On by default. */
  readonly prepare?: boolean
}

/**
 * Not prepared by name: if the server has lost the name (`DISCARD ALL`, a pooler), `@effect/sql-pg` sends
 * the statement a second time, after those that follow it.
 */
export const begin: Statement = { sql: "BEGIN", prepare: false }

/** See {@link begin}. A `COMMIT` that the server turns into a rollback fails in {@link runBatch}. */
export const commit: Statement = { sql: "COMMIT", prepare: false }

/**
 * Sends all statements in one write and gives their results in order.
 *
 * It fails with the error of the first statement that failed. Inside a transaction the server then
 * ignores the others and `COMMIT` rolls back; outside of one they take effect nevertheless.
 *
 * A value that cannot be encoded is found before anything is sent, and then nothing is.
 */
export const runBatch = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  statements: ReadonlyArray<Statement>,
): Effect.fn.Return<ReadonlyArray<PgConnection.Result>, SqlError> {
  const fibers: Array<Fiber.Fiber<PgConnection.Result, SqlError>> = []
  for (const { sql, params, prepare } of statements) {
    const fiber = yield* Effect.forkChild(connection.query(sql, params, prepare), {
      startImmediately: true,
    })
    fibers.push(fiber)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined && Exit.isFailure(exit)) {
      // Not even sent. The others wait for the end of this tick to be written: withdraw them, or a
      // batch with a hole in it would be committed.
      yield* Fiber.interruptAll(fibers)
      return yield* Effect.failCause(exit.cause)
    }
  }
  // All are awaited before the first failure is reported: the connection is idle then.
  const exits = yield* Fiber.awaitAll(fibers)
  const results: Array<PgConnection.Result> = []
  for (const exit of exits) results.push(yield* exit)
  const rolledBack = results.some(
    ({ command }, index) => statements[index]?.sql === commit.sql && command === "ROLLBACK",
  )
  if (rolledBack) return yield* new SqlError({ reason: commitRolledBack() })
  return results
})

const commitRolledBack = (): UnknownError => {
  const message = "COMMIT rolled back a transaction that had failed before"
  return new UnknownError({ cause: new Error(message), message, operation: "commit" })
}

/** How long a connection may take to become clean again before it is thrown away. */
const rollbackTimeout = Duration.seconds(5)

/**
 * Lends a connection, and takes it back clean.
 *
 * When `use` fails, whatever transaction it has left open is rolled back; when it is interrupted or
 * dies, or the rollback fails, the connection is closed and the pool makes another. The interruption of a
 * batch does not stop it: what was sent is executed, `COMMIT` included.
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
        return onlyFailed ? rollBack(pool, connection) : pool.invalidate(connection)
      }),
    ),
  )

const rollBack = (
  pool: PgPool.PgPool,
  connection: PgConnection.PgConnection,
): Effect.Effect<void> =>
  // Outside of a transaction the server answers with a warning, which is dropped.
  connection.query("ROLLBACK", [], false).pipe(
    Effect.timeout(rollbackTimeout),
    Effect.catch(() => pool.invalidate(connection)),
    Effect.asVoid,
  )

/** SQLSTATEs with which the server announces that it is ending the session, besides class 08. */
const endOfSession: ReadonlyArray<unknown> = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"]

/**
 * Whether an error means that the connection is gone. What it was asked last may have happened or not:
 * after a `COMMIT` only a look into the database tells.
 *
 * `isRetryable` does not answer this: it is false for a session that was ended while it was idle.
 */
export const isConnectionLost = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || endOfSession.includes(sqlState(error))

/** The SQLSTATE of an error, where the server has sent one. */
export const sqlState = ({ reason }: SqlError): string | undefined => {
  const { cause } = reason
  if (!Predicate.hasProperty(cause, "code")) return undefined
  return typeof cause.code === "string" ? cause.code : undefined
}
