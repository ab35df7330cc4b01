/**
 * Sends several statements in one round trip.
 *
 * `@effect/sql-pg` pipelines the statements of different fibers on one connection: statements that start in the
 * same tick are sent in a single write and answered in order. This requires a connection that was created with
 * `multiplex: true` and is not pinned, so `withTransaction` and `PgPool.reserve` cannot be used here.
 *
 * A transaction takes two round trips. Only after the first is it certain that a transaction is open, and a
 * write behind a failed `BEGIN` would be committed on its own.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { parameterOf, type Value } from "./parameters.ts"

export interface Statement {
  readonly sql: string
  readonly params?: ReadonlyArray<Value>
  /** Whether the statement is prepared by name. @defaultValue `true` */
  readonly prepare?: boolean
}

/**
 * A statement that is not prepared by name. If the server has lost the name (`DISCARD ALL`, a pooler),
 * `@effect/sql-pg` sends the statement a second time, after those that follow it.
 */
export const unprepared = (sql: string, ...params: ReadonlyArray<Value>): Statement => ({
  sql,
  params,
  prepare: false,
})

export const begin = unprepared("BEGIN")
export const rollback = unprepared("ROLLBACK")
export const commit = unprepared("COMMIT")

/**
 * Starts all queries in one tick, so that they are sent in one write, and awaits them all. Fails if a value cannot
 * be encoded; nothing was sent then.
 */
export const sendAll = Effect.fnUntraced(function* <A>(
  queries: ReadonlyArray<Effect.Effect<A, SqlError>>,
): Effect.fn.Return<ReadonlyArray<Exit.Exit<A, SqlError>>, SqlError> {
  const fibers: Array<Fiber.Fiber<A, SqlError>> = []
  for (const query of queries) {
    const fiber = yield* Effect.forkChild(query, { startImmediately: true })
    fibers.push(fiber)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined && Exit.isFailure(exit)) {
      // The failed statement was not sent. The others are written at the end of this tick: interrupt them,
      // because a batch with a gap must not be committed.
      yield* Fiber.interruptAll(fibers)
      return yield* Effect.failCause(exit.cause)
    }
  }
  // Awaits all statements before it reports the first failure, so that the connection is idle then.
  return yield* Fiber.awaitAll(fibers)
})

/**
 * Sends all statements in one write and returns their results in order. Fails with the error of the first that
 * failed, or if `COMMIT` rolled back. Inside a transaction the server ignores the statements after a failure;
 * outside they take effect. If a value cannot be encoded, the batch fails before it sends anything.
 */
export const runBatch = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  statements: ReadonlyArray<Statement>,
): Effect.fn.Return<ReadonlyArray<PgConnection.Result>, SqlError> {
  const exits = yield* sendAll(
    statements.map(({ params, prepare, sql }) =>
      connection.query(sql, params?.map(parameterOf), prepare),
    ),
  )
  const results: Array<PgConnection.Result> = []
  for (const exit of exits) {
    const result = yield* exit
    const failed = rollbackOf(statements[results.length]?.sql, result)
    if (failed !== undefined) return yield* failed
    results.push(result)
  }
  return results
})

/** The error of a `COMMIT` that rolled back. */
export const rollbackOf = (sql: string | undefined, { command }: PgConnection.Result) => {
  if (sql !== commit.sql || command !== "ROLLBACK") return undefined
  const message = "COMMIT rolled back a transaction that had failed before"
  const reason = new UnknownError({ cause: new Error(message), message, operation: "commit" })
  return new SqlError({ reason })
}

export const connectionError = (message: string, operation = "query"): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation }) })

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
        // Outside of a transaction the server responds with a warning, which is ignored.
        return connection.query(rollback.sql, [], false).pipe(
          Effect.timeout(rollbackTimeout),
          Effect.catch(() => pool.invalidate(connection)),
        )
      }),
    ),
  )

/** SQLSTATEs with which the server announces the end of the session, besides class 08. */
const endOfSession: ReadonlyArray<unknown> = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"]

/**
 * Whether the connection is lost, so that the last statement may have taken effect or not. `isRetryable` does not
 * answer this: it is false for a session that was ended while it was idle.
 */
export const isConnectionLost = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || endOfSession.includes(sqlState(error))

export const sqlState = ({ reason }: SqlError): string | undefined => {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return typeof code === "string" ? code : undefined
}
