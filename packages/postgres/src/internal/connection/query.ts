/** Single statements, and the errors of the database as the store's own. */
import type * as PgPool from "@effect/sql-pg/PgPool"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../rows/columns.ts"
import { isConnectionLost, sqlState } from "./failures.ts"
import { lend, runBatch, type Statement } from "./pipeline.ts"

/** Runs one statement and returns its rows. */
export type Query = (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, StoreUnavailable>

/** Milliseconds that the answer for an interrupted caller may take. Then its connection is closed. */
const abandonedTimeout = 2_000

/**
 * A statement may fail because the database is unavailable. Any other failure is a bug. An interrupted caller does not
 * wait for the answer, but the connection stays lent until it has come.
 */
export const makeQuery =
  (pool: PgPool.PgPool): Query =>
  (statement) =>
    lend(pool, (connection) => runBatch(connection, [statement])).pipe(
      Effect.forkDetach({ startImmediately: true }),
      Effect.flatMap((fiber) =>
        Effect.onInterrupt(Fiber.join(fiber), () =>
          Effect.sync(() => {
            setTimeout(() => fiber.interruptUnsafe(), abandonedTimeout).unref()
          }),
        ),
      ),
      Effect.map(([answer]) => answer?.rows ?? []),
      Effect.catch(unavailable),
    )

/** Queries whose rows are decoded. `open`: returns rows with their phone numbers in plain text. */
export const makeReader = (raw: Query, open?: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>) => {
  const query: Query =
    open === undefined ? raw : (statement) => Effect.map(raw(statement), (rows) => open(rows))
  return {
    query,
    all: <A>(statement: Statement, decode: (row: Row) => A) =>
      Effect.map(query(statement), (rows) => rows.map(decode)),
    first: <A>(statement: Statement, decode: (row: Row) => A) =>
      Effect.map(query(statement), ([row]) => row && decode(row)),
    run: (statement: Statement) => Effect.asVoid(query(statement)),
    /** The rows that can be read. The log has the problem, the number of the others, and the key of the first of them. */
    readable: Effect.fnUntraced(function* <A>(
      statement: Statement,
      decode: (row: Row) => A,
      problem: string,
    ) {
      const rows = yield* raw(statement)
      const read = rows.map((row) =>
        Result.mapError(
          Result.try(() => (open === undefined ? [row] : open([row])).map(decode)),
          (defect) => ({ row, cause: Cause.die(defect) }),
        ),
      )
      const [found, failed] = [Array.getSuccesses(read), Array.getFailures(read)]
      const [first] = failed
      if (first !== undefined) {
        const { id, organization } = first.row
        yield* Effect.logError(problem, { organization, id, count: failed.length }, first.cause)
      }
      return found.flat()
    }),
  }
}

/** The error for the caller; a defect if the error is a bug or a wrong configuration. */
export const unavailable = (error: SqlError): Exit.Exit<never, StoreUnavailable> => {
  const state = sqlState(error) ?? ""
  // A server that refuses a connection has run no statement: it may be restoring the database. A wrong password stays.
  const isRefused = error.reason.operation === "connect" && !state.startsWith("28")
  if (isRefused || isConnectionLost(error) || isDisabled(state)) {
    return Exit.fail(connectionLost)
  }
  const reason = reasons[error.reason._tag]
  return reason === undefined
    ? Exit.die(error)
    : Exit.fail(new StoreUnavailable({ reason, retryAfterSeconds: 1 }))
}

const reasons: Partial<Record<SqlError["reason"]["_tag"], StoreUnavailable["reason"]>> = {
  LockTimeoutError: "timeout",
  StatementTimeoutError: "timeout",
  DeadlockError: "overloaded",
  SerializationError: "overloaded",
}

export const connectionLost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })

/** SQLSTATEs of a server that cannot write now: it is out of resources, its disk fails, or it is read-only. */
const isDisabled = (state: string): boolean =>
  state.startsWith("53") || state.startsWith("58") || state === "25006"
