/**
 * Transactions whose outcome is always known.
 *
 * When the connection is lost after COMMIT was sent, nothing on the client tells whether it took
 * effect, and doing the work again could do it twice. So every writer of a node, a lane, has a row of its
 * own in each organization, and signs one of them with a rising number in the same transaction. After a
 * loss it first takes that row's lock, which waits for whatever the lost session may still be doing, and
 * reads who signed last: itself, then the work is done and its result is still in memory; or not, then it
 * was rolled back and is done anew, while the lock keeps the lost session from ever committing.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import { StoreUnavailable } from "@countersign/core/domain/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Columns from "./columns.ts"
import {
  begin,
  commit,
  isConnectionLost,
  lend,
  runBatch,
  sqlState,
  type Statement,
} from "./pipeline.ts"
import type { Statements } from "./statements.ts"
import type { Join, Stamps } from "./join.ts"
import type { Write, Writes } from "./writes.ts"

/** Work for one transaction. */
export interface Work<out A> {
  /** An organization that it takes part in: there it is signed. */
  readonly home: string
  /**
   * The organizations whose rows it reads: their accounts are read before everything else. Left out,
   * `reads` takes whatever locks are needed.
   */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** The first trip. */
  readonly reads: ReadonlyArray<Statement>
  /**
   * What to write, from what was read, and what it comes to. The accounts' rows come first where there
   * are `accounts`. May be asked again on newer rows.
   */
  readonly decide: (results: ReadonlyArray<Pick<PgConnection.Result, "rows">>) => Decided<A>
}

export interface Decided<out A> {
  readonly value: A
  /** Go out in one statement, in no particular order. */
  readonly rows: ReadonlyArray<Write>
  /** Go out before them, one by one. */
  readonly statements?: ReadonlyArray<Statement> | undefined
}

/** How often a transaction is tried before the caller is told to come back later. */
export const maxAttempts = 8

/** How long an answer of the server may take; longer than any of its own limits. */
export const answerTimeout = Duration.seconds(15)

export interface Lane {
  /** Runs work to a known end. Not to be run twice at the same time. */
  readonly transact: <A>(work: Work<A>) => Effect.Effect<A, StoreUnavailable>
}

/** After others were seen at work on its organizations, a lane takes locks for this many transactions. */
export const wary = 32

/** A lane under a name that no other writer has. */
export const makeLane = (
  pool: PgPool.PgPool,
  sql: Statements,
  writes: Writes,
  join: Join,
  id: string,
): Lane => {
  let batch = 0
  let locking = 0

  /**
   * Reads without locks, and writes only if nothing has changed since, which the stamps tell: two
   * statements fewer, and no lock is held across a trip. Gives nothing where something has changed.
   */
  const withoutLocks = Effect.fnUntraced(function* <A>(
    connection: PgConnection.PgConnection,
    accounts: ReadonlyArray<string>,
    work: Work<A>,
    signature: number,
    sent: (value: A) => void,
  ) {
    const [found = nothing, ...results] = yield* runBatch(connection, [
      sql.readAccounts(accounts),
      ...work.reads,
    ])
    const { rows, value } = work.decide([found, ...results])
    const stamps = stampsOf(found.rows)
    if (rows.length === 0) {
      // A refusal that rests on the account alone is as old as the account.
      if (results.length === 0) return { value }
      const [again = nothing] = yield* runBatch(connection, [sql.readAccounts(accounts)])
      return isSame(stamps, stampsOf(again.rows)) ? { value } : undefined
    }
    sent(value)
    const signed = [...rows, writes.signLane(work.home, id, signature)]
    const [written] = yield* runBatch(connection, [join.ifStamped(signed, stamps)])
    return written?.rows[0]?.["fits"] === true ? { value } : undefined
  })

  const withLocks = Effect.fnUntraced(function* <A>(
    connection: PgConnection.PgConnection,
    work: Work<A>,
    signature: number,
    doubt: { readonly value: A } | undefined,
    sent: (value: A) => void,
  ) {
    if (doubt !== undefined) {
      const [, held] = yield* runBatch(connection, [begin, sql.holdLane(work.home, id)])
      const row = held?.rows[0]
      if (row !== undefined && Columns.numberOf(row, "batch") === signature) {
        yield* runBatch(connection, [rollback])
        return doubt.value
      }
    }
    const opening = doubt === undefined ? [begin] : []
    const locks = work.accounts === undefined ? [] : [sql.lockAccounts(work.accounts)]
    const results = yield* runBatch(connection, [...opening, ...locks, ...work.reads])
    const { rows, statements = [], value } = work.decide(results.slice(opening.length))
    if (rows.length === 0 && statements.length === 0) {
      yield* runBatch(connection, [rollback])
      return value
    }
    sent(value)
    const signed = join.all([...rows, writes.signLane(work.home, id, signature)])
    yield* runBatch(connection, [...statements, signed, commit])
    return value
  })

  /** One try on one connection. `sent` is told when a commit is about to be in doubt, or no longer is. */
  const attempt = <A>(
    work: Work<A>,
    signature: number,
    doubt: { readonly value: A } | undefined,
    sent: (pending: { readonly value: A } | undefined) => void,
  ): Effect.Effect<A, SqlError> =>
    lend(
      pool,
      Effect.fnUntraced(function* (connection) {
        const onSent = (value: A) => sent({ value })
        if (work.accounts !== undefined && doubt === undefined && locking === 0) {
          const done = yield* withoutLocks(connection, work.accounts, work, signature, onSent)
          if (done !== undefined) return done.value
          sent(undefined)
          locking = wary
        }
        if (locking > 0) locking -= 1
        return yield* withLocks(connection, work, signature, doubt, onSent)
      }),
    ).pipe(Effect.timeoutOrElse({ duration: answerTimeout, orElse: () => Effect.fail(noAnswer) }))

  const transact = Effect.fnUntraced(function* <A>(work: Work<A>) {
    batch += 1
    const signature = batch
    let doubt: { readonly value: A } | undefined
    let pending: { readonly value: A } | undefined
    for (let tries = 1; ; tries++) {
      const known = doubt
      const exit = yield* Effect.result(
        attempt(work, signature, known, (value) => {
          pending = value
        }).pipe(
          // After a commit was sent, a defect leaves it in doubt as a lost connection does.
          Effect.catchDefect((defect) =>
            pending === undefined && known === undefined
              ? Effect.die(defect)
              : Effect.fail(noAnswer),
          ),
        ),
      )
      if (exit._tag === "Success") return exit.success
      const error = exit.failure
      // A statement that the server answers with an error has aborted its transaction: no doubt about that.
      const isUnanswered = pending !== undefined && sqlState(error) === undefined
      const lost = isUnanswered || isConnectionLost(error)
      if (lost && pending !== undefined) doubt = pending
      pending = undefined
      const again = lost || isCollision(error) || doubt !== undefined
      if (!again || tries === maxAttempts) {
        // Still in doubt: whoever asks again at once would risk doing it twice.
        if (doubt !== undefined) return yield* connectionLost
        const refusal = unavailable(error)
        return yield* refusal === undefined ? Effect.die(error) : Effect.fail(refusal)
      }
      yield* Effect.sleep(Duration.millis(Math.min(1_000, 5 * 2 ** tries)))
    }
  })

  return { transact }
}

const nothing = { rows: [] }

const stampsOf = (rows: PgConnection.Result["rows"]): Stamps => ({
  organizations: rows.map((row) => Columns.textOf(row, "organization")),
  stamps: rows.map((row) => Columns.numberOf(row, "stamp")),
})

const isSame = (one: Stamps, other: Stamps): boolean =>
  one.stamps.length === other.stamps.length &&
  one.stamps.every((stamp, index) => stamp === other.stamps[index])

const rollback: Statement = { sql: "ROLLBACK", prepare: false }

const noAnswer = new SqlError({
  reason: new ConnectionError({
    cause: new Error("The database did not answer in time"),
    message: "The database did not answer in time",
    operation: "query",
  }),
})

/** Two transactions stood in each other's way, and the server has ended this one. */
const isCollision = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"

const connectionLost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })

/** SQLSTATEs of a server that cannot write now: out of resources, a failing disk, read-only. */
const isDisabled = (state: string): boolean =>
  state.startsWith("53") || state.startsWith("58") || state === "25006"

/** What a caller is told; `undefined` for an error that is a bug or a wrong set-up. */
export const unavailable = (error: SqlError): StoreUnavailable | undefined => {
  if (isConnectionLost(error) || isDisabled(sqlState(error) ?? "")) return connectionLost
  switch (error.reason._tag) {
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })
    case "DeadlockError":
    case "SerializationError":
      return new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })
    default:
      return undefined
  }
}
