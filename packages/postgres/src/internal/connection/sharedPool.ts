/** A pool on a server that may have no further connection free. */
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { sqlState } from "./failures.ts"

const spacing = "50 millis"

/** Five seconds, like the default time limit for connecting. */
const maxTries = 100

/** The server has refused a connection because all are in use. No statement has run. */
const isRefused = (error: unknown): error is SqlError =>
  isSqlError(error) && error.reason.operation === "connect" && sqlState(error) === "53300"

const waiting = <A, E, R>(self: Effect.Effect<A, E, R>, tries = maxTries): Effect.Effect<A, E, R> =>
  tries === 1
    ? self
    : Effect.catchIf(self, isRefused, () => Effect.delay(waiting(self, tries - 1), spacing))

/** If the server refuses a further connection, work waits for those that the pool has. */
export const make = (pool: PgPool.PgPool): PgPool.PgPool => ({
  ...pool,
  get: waiting(pool.get),
  reserve: waiting(pool.reserve),
  use: (f) => waiting(pool.use(f)),
})
