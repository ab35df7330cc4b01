/** A pool of connections that are behind a pooler. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import { connectionError } from "./failures.ts"
import * as PooledConnection from "./pooledConnection.ts"

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
  const set = PooledConnection.setLocally(settings)
  const over = (connection: PgConnection.PgConnection) => PooledConnection.make(connection, set)
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
