/**
 * Transactions whose outcome is always known, even if the connection is lost after COMMIT was sent.
 *
 * Every writer of a node, a lane, has a row of its own in each organization, and signs each transaction there
 * with a rising number. After a loss the lane locks that row, which waits until the lost session has ended its
 * transaction, and reads the last signature. If it is the lane's own, the work is committed and its result is
 * still in memory. If not, the lane repeats the work while the lock keeps the lost session from committing.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError, isConnectionLost, isStale, sqlState } from "../connection/failures.ts"
import { connectionLost, failUnavailable } from "../connection/query.ts"
import type { Answer } from "../connection/session.ts"
import { int8 } from "../rows/columns.ts"
import * as Pipeline from "../connection/pipeline.ts"
import type { BatchSql, Condition } from "../statements/batchSql.ts"
import type { Write } from "../statements/writes.ts"

export interface Work<out A> {
  /** The organization in which the transaction is signed, one of those that it changes. */
  readonly home: string
  /** The organizations whose accounts are read first. `undefined`: `reads` takes the necessary locks. */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** The statements of the first round trip. */
  readonly reads: () => ReadonlyArray<Pipeline.Statement>
  /** With `accounts`, their rows come first. May be called again with newer rows. */
  readonly decide: (results: ReadonlyArray<Pick<Answer, "rows">>) => WorkResult<A>
  /** The same work on rows in memory. It reads the others, and its `accounts` are those to read. Runs once. */
  readonly cached?: Required<Pick<Work<A>, "accounts" | "reads" | "decide">> | undefined
}

export interface WorkResult<out A> {
  readonly value: A
  /** Sent in one statement, in any order. */
  readonly rows: ReadonlyArray<Write>
  /** Sent before `rows`, one by one. */
  readonly statements?: ReadonlyArray<Pipeline.Statement> | undefined
  /** Of a decision without locks: what must still hold when it is written. */
  readonly condition?: Condition | undefined
}

const maxAttempts = 8

/** Longer than all of the server's own limits. */
const answerTimeout = Duration.seconds(15)

type Outcome<A> = { readonly value: A } | undefined

const { begin, commit, lend, rollback, runBatch } = Pipeline

export interface Lane {
  /** Runs work until its outcome is known. Must not run twice at the same time. */
  readonly transact: <A>(work: Work<A>) => Effect.Effect<A, StoreUnavailable>
}

/** Number of transactions for which a lane takes locks after it has seen other writers on its organizations. */
const lockingTransactions = 32

/** Creates a lane with a name that no other writer has. */
export const makeLane = (pool: PgPool.PgPool, sql: BatchSql, id: string): Lane => {
  let batch = 0
  let locking = 0

  /**
   * Decides without locks, and writes only if the condition shows that nothing has changed since. This saves two
   * statements and holds no lock across a round trip. Rows in memory save the first trip as well. A row that is
   * read later than a stamp in memory belongs to that stamp if the write finds the stamp unchanged. Returns
   * `undefined` if something has changed.
   */
  const withoutLocks = Effect.fnUntraced(function* <A>(
    connection: PgConnection.PgConnection,
    all: ReadonlyArray<string>,
    { accounts = [], decide, reads }: Pick<Work<A>, "accounts" | "reads" | "decide">,
    sign: Write,
    sent: (value: A) => void,
  ) {
    const first = accounts.length === 0 ? [] : [sql.readAccounts(accounts)]
    const read = reads()
    const results = yield* runBatch(connection, [...first, ...read])
    const { condition, rows, value } = decide(first.length === 0 ? [nothing, ...results] : results)
    // A rejection that depends on the account alone is as recent as the account.
    const isRecent = read.length === 0 && accounts.length === all.length
    if (rows.length === 0 && (isRecent || condition === undefined)) return { value }
    if (condition === undefined) return undefined
    if (rows.length > 0) sent(value)
    const signed = rows.length === 0 ? [] : [...rows, sign]
    const [answer] = yield* runBatch(connection, [sql.joinIfStamped(signed, condition)])
    return answer?.rows[0]?.["fits"] === true ? { value } : undefined
  })

  const withLocks = Effect.fnUntraced(function* <A>(
    connection: PgConnection.PgConnection,
    work: Work<A>,
    signature: number,
    doubt: Outcome<A>,
    sent: (value: A) => void,
  ) {
    if (doubt !== undefined) {
      const [, held] = yield* runBatch(connection, [begin, sql.holdLane(work.home, id)])
      const row = held?.rows[0]
      if (row !== undefined && int8.decode(row, "batch") === signature) {
        yield* runBatch(connection, [rollback])
        return doubt.value
      }
    }
    const opening = doubt === undefined ? [begin] : []
    const locks = work.accounts === undefined ? [] : [sql.lockAccounts(work.accounts)]
    const results = yield* runBatch(connection, [...opening, ...locks, ...work.reads()])
    const { rows, statements = [], value } = work.decide(results.slice(opening.length))
    if (rows.length === 0 && statements.length === 0) {
      yield* runBatch(connection, [rollback])
      return value
    }
    sent(value)
    const signed = sql.joinAll([...rows, sql.signLane(work.home, id, signature)])
    yield* runBatch(connection, [...statements, signed, commit])
    return value
  })

  /**
   * Calls `sent` when the outcome of a commit comes into doubt, or is known again. A single generator function for
   * all transactions (see "Short-lived objects" in docs/internals/batches.md).
   */
  const attempt = Effect.fnUntraced(function* <A>(
    connection: PgConnection.PgConnection,
    work: Work<A>,
    signature: number,
    doubt: Outcome<A>,
    isFirst: boolean,
    sent: (pending: Outcome<A>) => void,
  ) {
    const onSent = (value: A) => sent({ value })
    if (work.accounts !== undefined && doubt === undefined && locking === 0) {
      const sign = sql.signLane(work.home, id, signature)
      for (const one of isFirst && work.cached !== undefined ? [work.cached, work] : [work]) {
        const done = yield* withoutLocks(connection, work.accounts, one, sign, onSent)
        if (done !== undefined) return done.value
        sent(undefined)
      }
      locking = lockingTransactions
    }
    if (locking > 0) locking -= 1
    return yield* withLocks(connection, work, signature, doubt, onSent)
  })

  const transact = Effect.fnUntraced(function* <A>(work: Work<A>) {
    batch += 1
    const signature = batch
    let doubt: Outcome<A>
    let pending: Outcome<A>
    for (let tries = 1; ; tries++) {
      const known = doubt
      const note = (value: Outcome<A>): void => {
        pending = value
      }
      const exit = yield* lend(pool, (connection) =>
        attempt(connection, work, signature, known, tries === 1, note),
      ).pipe(
        Effect.timeoutOrElse({ duration: answerTimeout, orElse: () => Effect.fail(noAnswer) }),
        // A defect after COMMIT was sent leaves its outcome in doubt, as a lost connection does.
        Effect.catchDefect((defect) =>
          pending === undefined && known === undefined ? Effect.die(defect) : Effect.fail(noAnswer),
        ),
        Effect.result,
      )
      if (exit._tag === "Success") return exit.success
      const error = exit.failure
      // If the server responds with an error, it has aborted the transaction, so its outcome is known.
      const isUnanswered = pending !== undefined && sqlState(error) === undefined
      const lost = isUnanswered || isConnectionLost(error)
      if (lost && pending !== undefined) doubt = pending
      pending = undefined
      const again = lost || isCollision(error) || isStale(error) || doubt !== undefined
      if (!again || tries === maxAttempts) {
        // The outcome is still in doubt, so an immediate retry by the caller could do the work twice.
        if (doubt !== undefined) return yield* connectionLost
        return yield* failUnavailable(error)
      }
      yield* Effect.sleep(Duration.millis(Math.min(1_000, 5 * 2 ** tries)))
    }
  })

  // The database takes real time, also where a test sets the time.
  return { transact: (work) => Effect.provideService(transact(work), Clock.Clock, hostClock) }
}

/** The clock of a runtime for which none is provided. */
const hostClock = Context.get(Context.empty(), Clock.Clock)

const nothing = { rows: [] }

const noAnswer = connectionError("The database did not answer in time")

/** Whether two transactions collided and the server has ended this one. */
const isCollision = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"
