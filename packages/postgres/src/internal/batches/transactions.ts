/**
 * Transactions whose outcome is always known, even if the connection is lost after COMMIT was sent.
 *
 * Every writer of a node, a lane, has a row of its own in each organization, and signs each transaction there
 * with a rising number. After a loss the lane locks that row, which waits until the lost session has ended its
 * transaction, and reads the last signature. If it is the lane's own, the work is committed and its result is
 * still in memory. If not, the lane repeats the work while the lock keeps the lost session from committing.
 */
import type * as PgPool from "@effect/sql-pg/PgPool"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type * as Call from "@countersign/core/engine/Call"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError, isConnectionLost, isStale, sqlState } from "../connection/failures.ts"
import { begin, commit, lend, rollback, type Statement } from "../connection/pipeline.ts"
import { connectionLost, unavailable } from "../connection/query.ts"
import { type Answer, type Session, sessionOf } from "../connection/session.ts"
import { int8 } from "../rows/columns.ts"
import type { BatchSql, Condition } from "../statements/batchSql.ts"
import type { Write } from "../statements/writes.ts"

type Results = ReadonlyArray<Pick<Answer, "rows">>

export interface Work<out A> {
  /** The organization in which the transaction is signed, one of those that it changes. */
  readonly home: string
  /** The organizations whose accounts are read first. `undefined`: `reads` takes the necessary locks. */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** The statements of the first round trip. */
  readonly reads: () => ReadonlyArray<Statement>
  /** With `accounts`, their rows come first. May be called again with newer rows. `writer`: the id of the lane. */
  readonly decide: (results: Results, writer: string) => WorkResult<A>
  /** The same work on rows in memory. It reads the others, and its `accounts` are those to read. Runs once. */
  readonly cached?: UnlockedWork<A> | undefined
}

interface UnlockedWork<out A> extends Pick<Work<A>, "reads" | "decide"> {
  readonly accounts: ReadonlyArray<string>
}

export interface WorkResult<out A> {
  readonly value: A
  /** Sent in one statement, in any order. */
  readonly rows: ReadonlyArray<Write>
  /** Sent before `rows`, one by one. */
  readonly statements?: ReadonlyArray<Statement> | undefined
  /** Of a decision without locks: what must still hold when it is written. */
  readonly condition?: Condition | undefined
}

const maxAttempts = 8

/** Milliseconds, longer than all of the server's own limits. */
const answerTimeout = 15_000

export interface Lane {
  /** Runs work until its outcome is known, and calls `done` once, later. Must not run twice at the same time. */
  readonly transact: <A>(work: Work<A>, done: Call.Done<A, StoreUnavailable>) => void
}

/** Number of transactions for which a lane takes locks after it has seen other writers on its organizations. */
const lockingTransactions = 32

/** The values that the transactions of a lane share. */
interface Writer {
  readonly pool: PgPool.PgPool
  readonly sql: BatchSql
  readonly id: string
  readonly runFork: <A, E>(effect: Effect.Effect<A, E>) => ReturnType<typeof Effect.runFork<A, E>>
  /** Number of transactions that still take locks first. */
  locking: number
}

/** Creates a lane with a name that no other writer has. */
export const makeLane = (
  pool: PgPool.PgPool,
  sql: BatchSql,
  id: string,
  context: Context.Context<never>,
): Lane => {
  // The database takes real time, also where a test sets the time.
  const runFork = Effect.runForkWith(Context.add(context, Clock.Clock, hostClock))
  const writer: Writer = { pool, sql, id, runFork, locking: 0 }
  let batch = 0
  return { transact: (work, done) => new Transaction(writer, work, ++batch, done).attempt() }
}

class Transaction<A> {
  readonly #writer: Writer
  readonly #work: Work<A>
  readonly #signature: number
  readonly #done: Call.Done<A, StoreUnavailable>
  #tries = 0
  /** The value of a commit that was sent in an earlier attempt, and whose outcome is not known. */
  #doubt: { readonly value: A } | undefined
  /** The same in this attempt. */
  #pending: { readonly value: A } | undefined
  /** Ends the attempt under way. */
  #resume: Call.Done<A, SqlError> = ignore
  #isStarting = false

  constructor(
    writer: Writer,
    work: Work<A>,
    signature: number,
    done: Call.Done<A, StoreUnavailable>,
  ) {
    this.#writer = writer
    this.#work = work
    this.#signature = signature
    this.#done = done
  }

  attempt(): void {
    const { pool, runFork } = this.#writer
    this.#tries += 1
    this.#isStarting = true
    const fiber = runFork(
      lend(pool, (connection) =>
        Effect.callback<A, SqlError>((resume) => {
          this.#resume = resume
          this.#guard(() => this.#begin(sessionOf(connection)))
        }),
      ),
    )
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      fiber.interruptUnsafe()
    }, answerTimeout)
    fiber.addObserver((exit) => {
      clearTimeout(timer)
      this.#end(isLate && Exit.hasInterrupts(exit) ? late : exit)
    })
    this.#isStarting = false
  }

  #begin(session: Session): void {
    const { cached, accounts } = this.#work
    if (accounts === undefined || this.#doubt !== undefined || this.#writer.locking > 0) {
      return this.#withLocks(session)
    }
    const work = { ...this.#work, accounts }
    if (this.#tries > 1 || cached === undefined) return this.#withoutLocks(session, work)
    this.#withoutLocks(session, cached, work)
  }

  /** Sends statements, and continues with their results. */
  #send(
    session: Session,
    statements: ReadonlyArray<Statement>,
    next: (results: Results) => void,
  ): void {
    const resume = this.#resume
    session.run(statements, (answers) => {
      // An answer to an earlier attempt must not continue this one.
      if (resume !== this.#resume) return
      if (Exit.isFailure(answers)) resume(Exit.failCause(answers.cause))
      else this.#guard(() => next(answers.value))
    })
  }

  /** A defect ends the attempt. */
  #guard(step: () => void): void {
    try {
      step()
    } catch (defect) {
      this.#resume(Exit.die(defect))
    }
  }

  /**
   * Decides without locks, and writes only if the condition shows that nothing has changed since. This saves two
   * statements and holds no lock across a round trip. Rows in memory also save the first trip. A row that is read later
   * than a stamp in memory belongs to that stamp if the write finds the stamp unchanged. If something has changed,
   * continues with `otherwise`, or takes locks.
   */
  #withoutLocks(session: Session, work: UnlockedWork<A>, otherwise?: UnlockedWork<A>): void {
    const { id, sql } = this.#writer
    const { accounts: all = [], home } = this.#work
    const { accounts } = work
    const first = accounts.length === 0 ? [] : [sql.readAccounts(accounts)]
    const read = work.reads()
    const decided = (results: Results): void => {
      const given = first.length === 0 ? [nothing, ...results] : results
      const { condition, rows, value } = work.decide(given, id)
      // A rejection that depends on the account alone is as recent as the account.
      const isRecent = read.length === 0 && accounts.length === all.length
      if (rows.length === 0 && (isRecent || condition === undefined)) {
        return this.#resume(Exit.succeed(value))
      }
      if (condition === undefined) return changed()
      if (rows.length > 0) this.#pending = { value }
      const signed = rows.length === 0 ? [] : [...rows, sql.signLane(home, id, this.#signature)]
      this.#send(session, [sql.joinIfStamped(signed, condition)], ([answer]) => {
        if (answer?.rows[0]?.["fits"] === true) this.#resume(Exit.succeed(value))
        else changed()
      })
    }
    const changed = (): void => {
      this.#pending = undefined
      if (otherwise !== undefined) return this.#withoutLocks(session, otherwise)
      this.#writer.locking = lockingTransactions
      this.#withLocks(session)
    }
    const statements = [...first, ...read]
    if (statements.length === 0) decided([])
    else this.#send(session, statements, decided)
  }

  #withLocks(session: Session): void {
    const { id, sql } = this.#writer
    const { accounts, home, reads } = this.#work
    const doubt = this.#doubt
    if (this.#writer.locking > 0) this.#writer.locking -= 1
    const locks = accounts === undefined ? [] : [sql.lockAccounts(accounts)]
    if (doubt === undefined) {
      return this.#send(session, [begin, ...locks, ...reads()], ([, ...results]) =>
        this.#write(session, results),
      )
    }
    this.#send(session, [begin, sql.holdLane(home, id)], ([, held]) => {
      const row = held?.rows[0]
      if (row !== undefined && int8.decode(row, "batch") === this.#signature) {
        return this.#send(session, [rollback], () => this.#resume(Exit.succeed(doubt.value)))
      }
      this.#send(session, [...locks, ...reads()], (results) => this.#write(session, results))
    })
  }

  /** Decides and commits, under locks. */
  #write(session: Session, results: Results): void {
    const { id, sql } = this.#writer
    const { rows, statements = [], value } = this.#work.decide(results, id)
    const succeed = () => this.#resume(Exit.succeed(value))
    if (rows.length === 0 && statements.length === 0) {
      return this.#send(session, [rollback], succeed)
    }
    this.#pending = { value }
    const signed = sql.joinAll([...rows, sql.signLane(this.#work.home, id, this.#signature)])
    this.#send(session, [...statements, signed, commit], succeed)
  }

  /** Ends an attempt: with its outcome, or with another attempt. */
  #end(exit: Exit.Exit<A, SqlError>): void {
    const pending = this.#pending
    this.#pending = undefined
    this.#resume = ignore
    if (Exit.isSuccess(exit)) return this.#finish(Exit.succeed(exit.value))
    const defect = exit.cause.reasons.find(Cause.isDieReason)
    if (defect !== undefined && pending === undefined && this.#doubt === undefined) {
      return this.#finish(Exit.die(defect.defect))
    }
    // The pool has closed.
    if (Cause.hasInterruptsOnly(exit.cause)) return this.#finish(Exit.interrupt())
    // A defect after COMMIT was sent leaves its outcome in doubt, as a lost connection does.
    const failed = defect === undefined ? Exit.findErrorOption(exit) : Option.none()
    const error = Option.getOrElse(failed, () => noAnswer)
    // If the server responds with an error, it has aborted the transaction, so its outcome is known.
    // A driver of the host that gives no transaction has run no statement.
    const isUnsent = error.reason.operation === "connect"
    const isUnanswered = pending !== undefined && !isUnsent && sqlState(error) === undefined
    const isLost = isUnanswered || isConnectionLost(error)
    if (isLost && pending !== undefined) this.#doubt = pending
    const again = isLost || isCollision(error) || isStale(error) || this.#doubt !== undefined
    if (again && this.#tries < maxAttempts) {
      setTimeout(() => this.attempt(), Math.min(1_000, 5 * 2 ** this.#tries))
      return
    }
    // The outcome is still in doubt, so an immediate retry by the caller could do the work twice.
    this.#finish(this.#doubt === undefined ? unavailable(error) : Exit.fail(connectionLost))
  }

  /** `done` may start the next transaction of the lane, which must not happen within the start of this one. */
  #finish(exit: Exit.Exit<A, StoreUnavailable>): void {
    if (this.#isStarting) queueMicrotask(() => this.#done(exit))
    else this.#done(exit)
  }
}

/** The clock of a runtime for which none is provided. */
const hostClock = Context.get(Context.empty(), Clock.Clock)

const nothing = { rows: [] }

const ignore = (): void => {}

const noAnswer = connectionError("The database did not answer in time")
const late = Exit.fail(noAnswer)

/** Whether two transactions collided and the server has ended this one. */
const isCollision = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"
