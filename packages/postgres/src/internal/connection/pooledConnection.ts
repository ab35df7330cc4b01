/**
 * Connections through a pooler such as PgBouncer, which may run every transaction on another server session.
 *
 * The session keeps nothing between two transactions: neither settings nor prepared statements. Each transaction
 * therefore begins with its settings, and statements outside of one get a transaction of their own. All of it is sent
 * at once, so it takes the same single round trip as without a pooler.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { connectionError } from "./failures.ts"
import { begin, commit, rollback, unprepared } from "./pipeline.ts"
import { type Answers, provideSession, type Session, sessionOf, type Statement } from "./session.ts"

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

/** The session for one loan. */
class PooledSession implements Session {
  readonly #connection: PgConnection.PgConnection
  readonly #settings: Statement

  constructor(connection: PgConnection.PgConnection, settings: string) {
    this.#connection = connection
    this.#settings = unprepared(settings)
  }

  get #session(): Session {
    return sessionOf(this.#connection)
  }

  get isInTransaction(): boolean {
    return this.#session.isInTransaction
  }

  run(statements: ReadonlyArray<Statement>, done: (answers: Answers) => void): void {
    const unnamed: ReadonlyArray<Statement> = statements.map((one) => ({ ...one, prepare: false }))
    const first = unnamed[0]?.sql ?? ""
    if (this.isInTransaction || ends.test(first)) return this.#session.run(unnamed, done)
    if (opens.test(first)) {
      const begun = unnamed.toSpliced(1, 0, this.#settings)
      return this.#session.run(begun, (answers) =>
        done(Exit.map(answers, (all) => all.toSpliced(1, 1))),
      )
    }
    this.#session.run([begin, this.#settings, ...unnamed, commit], (answers) => {
      const own = Exit.map(answers, (all) => all.slice(2, -1))
      if (!this.isInTransaction) return done(own)
      // The transaction has failed, and would keep the server session.
      this.#session.run([rollback], () => done(own))
    })
  }
}

/** The connection for one loan. `settings` is the statement that each transaction begins with. */
export const make = (
  connection: PgConnection.PgConnection,
  settings: string,
): PgConnection.PgConnection => {
  let isOpen = false
  const control = (sql: string) => connection.query(sql, [], false)

  const framed = <A>(sql: string, query: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      const begins = !isOpen && opens.test(sql)
      if (!isOpen && !begins && !ends.test(sql)) {
        return together([control(begin.sql), control(settings)], query, [control(commit.sql)])
      }
      isOpen = (isOpen || begins) && !ends.test(sql)
      return begins ? together([], query, [control(settings)]) : query
    })

  const own: PgConnection.PgConnection = {
    ...connection,
    config: connection.config,
    processId: connection.processId,
    pin: Effect.map(connection.pin, (pinned) => make(pinned, settings)),
    query: (sql, params) => framed(sql, connection.query(sql, params, false)),
    queryValues: (sql, params) => framed(sql, connection.queryValues(sql, params, false)),
    stream: (sql, params) =>
      Stream.suspend(() =>
        isOpen ? connection.stream(sql, params) : streamAlone(connection, settings, sql, params),
      ),
    listen: () => Effect.fail(listenRefused),
  }
  return provideSession(own, new PooledSession(connection, settings))
}

/** Starts all of them at once, and returns what `query` returns. */
const together = Effect.fnUntraced(function* <A>(
  before: ReadonlyArray<Effect.Effect<unknown, SqlError>>,
  query: Effect.Effect<A, SqlError>,
  after: ReadonlyArray<Effect.Effect<unknown, SqlError>>,
) {
  const start = <B>(one: Effect.Effect<B, SqlError>) =>
    Effect.forkChild(one, { startImmediately: true })
  const first = yield* Effect.forEach(before, start)
  const own = yield* start(query)
  const last = yield* Effect.forEach(after, start)
  const [begun] = yield* Fiber.awaitAll([...first, own, ...last])
  if (first.length > 0 && begun !== undefined && Exit.isFailure(begun)) return yield* notBegun
  yield* Effect.forEach(first, Fiber.join, { discard: true })
  const value = yield* Fiber.join(own)
  yield* Effect.forEach(last, Fiber.join, { discard: true })
  return value
})

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
