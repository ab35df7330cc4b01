/**
 * Connections through a pooler such as PgBouncer, which may run every transaction on another server session.
 *
 * The session keeps nothing between two transactions: neither settings nor prepared statements. Each transaction
 * therefore begins with its settings, and statements outside of one get a transaction of their own. The statements
 * of a tick share it, so they take the same single round trip as without a pooler.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { begin, commit, connectionError, sendAll } from "./pipeline.ts"

interface Waiting {
  readonly sql: string
  /** Runs the statement. Its result is the function that gives the caller its result. */
  readonly send: Effect.Effect<() => void, SqlError>
  readonly fail: (cause: Cause.Cause<SqlError>) => void
}

const opens = /^\s*(?:BEGIN|START\s+TRANSACTION)\b/i
const ends = /^\s*(?:COMMIT|END|ROLLBACK|ABORT)\b(?!\s+TO\b)/i

/** The statement that sets these settings for the rest of its transaction. */
export const setLocally = (settings: Readonly<Record<string, string>>): string =>
  `SELECT ${Object.entries(settings)
    .map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`)
    .join(", ")}`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const listenRefused = connectionError(
  "LISTEN needs a session of its own, and the database is behind a pooler. Poll, or connect to the server itself.",
)

/** Its statements may have taken effect one by one. The error has no SQLSTATE, so its outcome counts as unknown. */
const notBegun = connectionError("The server did not begin a transaction")

/** The connection for one loan. `settings` is the statement that each transaction begins with. */
export const make = (
  connection: PgConnection.PgConnection,
  settings: string,
): PgConnection.PgConnection => {
  let waiting: Array<Waiting> = []
  let isOpen = false
  const control = (sql: string) => Effect.as(connection.query(sql, [], false), () => {})
  const first = [control(begin.sql), control(settings)]

  /** What to send for the statements of a tick. */
  const framed = (taken: ReadonlyArray<Waiting>) => {
    const sends = taken.map(({ send }) => send)
    const begins = !isOpen && opens.test(taken[0]?.sql ?? "")
    const isControl = begins || ends.test(taken[0]?.sql ?? "")
    if (!isOpen && !isControl) return [...first, ...sends, control(commit.sql)]
    isOpen = (isOpen || begins) && !ends.test(taken.at(-1)?.sql ?? "")
    return begins ? sends.toSpliced(1, 0, control(settings)) : sends
  }

  const flush = Effect.suspend(() => {
    const taken = waiting
    waiting = []
    const sends = framed(taken)
    const isAlone = sends[0] === first[0]
    return Effect.matchCause(Effect.flatMap(sendAll(sends), outcome(isAlone)), {
      onFailure: (cause) => taken.forEach(({ fail }) => fail(cause)),
      onSuccess: (answers) => answers.forEach((answer) => answer()),
    })
  })

  const together = <A>(
    sql: string,
    query: Effect.Effect<A, SqlError>,
  ): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      const result = Deferred.makeUnsafe<A, SqlError>()
      // Runs at the end of this tick, after all statements that start in it.
      if (waiting.length === 0) queueMicrotask(() => Effect.runFork(flush))
      waiting.push({
        sql,
        send: Effect.map(query, (value) => () => {
          Deferred.doneUnsafe(result, Effect.succeed(value))
        }),
        fail: (cause) => {
          Deferred.doneUnsafe(result, Effect.failCause(cause))
        },
      })
      return Deferred.await(result)
    })

  return {
    ...connection,
    config: connection.config,
    processId: connection.processId,
    pin: Effect.map(connection.pin, (pinned) => make(pinned, settings)),
    query: (sql, params) => together(sql, connection.query(sql, params, false)),
    queryValues: (sql, params) => together(sql, connection.queryValues(sql, params, false)),
    stream: (sql, params) =>
      Stream.suspend(() =>
        isOpen ? connection.stream(sql, params) : streamAlone(connection, settings, sql, params),
      ),
    listen: () => Effect.fail(listenRefused),
  }
}

const outcome = (isAlone: boolean) => (exits: ReadonlyArray<Exit.Exit<() => void, SqlError>>) =>
  isAlone && exits[0] !== undefined && Exit.isFailure(exits[0])
    ? Effect.fail(notBegun)
    : Effect.all(exits)

const streamAlone = (
  connection: PgConnection.PgConnection,
  settings: string,
  ...statement: Parameters<PgConnection.PgConnection["stream"]>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const pinned = yield* connection.pin
      const run = (sql: string) => pinned.query(sql, [], false)
      yield* Effect.acquireRelease(run(begin.sql), () => Effect.ignore(run(commit.sql)))
      yield* run(settings)
      return pinned.stream(...statement)
    }),
  )
