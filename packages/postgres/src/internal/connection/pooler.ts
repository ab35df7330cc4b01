/**
 * A pool of connections through a pooler such as PgBouncer, which may run every transaction on another server session.
 *
 * The session keeps nothing between two transactions: neither settings nor prepared statements. Each transaction
 * therefore begins with its settings, and statements outside of one get a transaction of their own. All of it is sent
 * at once, so it takes the same single round trip as without a pooler.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError } from "./failures.ts"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
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

export const listenRefused = connectionError(
  "LISTEN needs a session of its own, and the database is behind a pooler. Poll, or connect to the server itself.",
)

/** Whether the database gives no session that could listen. */
export const isListenRefused = (error: SqlError): boolean => error === listenRefused

/** Its statements may have taken effect one by one. The error has no SQLSTATE, so its outcome counts as unknown. */
const notBegun = connectionError("The server did not begin a transaction")

/** The session for one loan. `settings` is the statement that each transaction begins with. */
export class PooledSession implements Session {
  readonly #sessionOf: () => Session
  readonly #settings: Statement

  /** `sessionOf`: called when a statement runs, because a connection that many share has no session of its own. */
  constructor(sessionOf: () => Session, settings: string) {
    this.#sessionOf = sessionOf
    this.#settings = unprepared(settings)
  }

  get #session(): Session {
    return this.#sessionOf()
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
const makeConnection = (
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
    pin: Effect.map(connection.pin, (pinned) => makeConnection(pinned, settings)),
    query: (sql, params) => framed(sql, connection.query(sql, params, false)),
    queryValues: (sql, params) => framed(sql, connection.queryValues(sql, params, false)),
    stream: (sql, params) =>
      Stream.suspend(() =>
        isOpen ? connection.stream(sql, params) : streamAlone(connection, settings, sql, params),
      ),
    listen: () => Effect.fail(listenRefused),
  }
  return provideSession(own, new PooledSession(() => sessionOf(connection), settings))
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

/** How long a new connection may wait until the pooler gives it a server session. */
const proofTimeout = Duration.seconds(2)

/** How many connections without an answer a piece of work waits for before it fails. */
const maxTries = 3

/** After this time the pool tries one connection more than it got, up to its maximum. */
const growthMillis = 60_000

const noneFree = connectionError("The pooler has no server session free")

/**
 * Makes every transaction of `pool` begin with these PostgreSQL settings, and prepares no statement by name.
 *
 * A pooler accepts more connections than it has server sessions, and its statements wait for one. The pool therefore
 * uses a new connection only after its first answer. Without an answer it closes the connection, and the work waits
 * for the connections that others use now.
 */
export const makePool = Effect.fnUntraced(function* (
  pool: PgPool.PgPool,
  settings: Readonly<Record<string, string>>,
  max: number,
): Effect.fn.Return<PgPool.PgPool> {
  const set = setLocally(settings)
  const over = (connection: PgConnection.PgConnection) => makeConnection(connection, set)
  const permits = yield* Semaphore.make(max)
  const proven = new WeakSet<PgConnection.PgConnection>()
  let size = max
  let changedAt = 0
  let working = 0

  const resize = Effect.fnUntraced(function* (to: number) {
    size = to
    changedAt = yield* Clock.currentTimeMillis
    yield* permits.resize(to)
  })

  const grow = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - changedAt < growthMillis ? Effect.void : resize(size + 1),
  )

  const isProven = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
    if (proven.has(connection)) return true
    const answer = yield* Effect.timeoutOption(
      connection.query("SELECT 1", [], false),
      proofTimeout,
    )
    if (Option.isSome(answer)) {
      proven.add(connection)
      return true
    }
    yield* pool.invalidate(connection)
    // The pool opens a connection only if all others are in use.
    const found = Math.max(1, working)
    const isNews = found < size
    yield* resize(found)
    if (isNews) {
      yield* Effect.logWarning(
        `The pooler gave ${found} of up to ${max} sessions. Enlarge its pool, or set the maximum number of connections to what it has.`,
      )
    }
    return false
  })

  /** Succeeds with `undefined` if the connection got no session. */
  const attempt = <A, E, R>(
    f: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>,
  ): Effect.Effect<{ readonly value: A } | undefined, E | SqlError, R> =>
    pool.use((connection) =>
      Effect.flatMap(isProven(connection), (usable) => {
        if (!usable) return Effect.undefined
        working += 1
        return Effect.map(f(over(connection)), (value) => ({ value })).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              working -= 1
            }),
          ),
        )
      }),
    )

  const used = <A, E, R>(
    f: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>,
    tries: number,
  ): Effect.Effect<A, E | SqlError, R> =>
    Effect.suspend(() => (size < max ? grow : Effect.void)).pipe(
      Effect.andThen(permits.withPermit(attempt(f))),
      Effect.flatMap((found) => {
        if (found !== undefined) return Effect.succeed(found.value)
        return tries === 1 ? Effect.fail(noneFree) : used(f, tries - 1)
      }),
    )

  return {
    ...pool,
    get: Effect.map(pool.get, over),
    reserve: Effect.map(pool.reserve, over),
    use: (f) => used(f, maxTries),
  }
})
