/**
 * Runs `@effect/sql-pg` on a PostgreSQL server, with the settings that the store requires.
 *
 * `PgClient` and `SqlClient` run statements and transactions. `PgPool` lends connections that send a batch of
 * statements at once. Each of the two has its own connections.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as PooledClient from "./internal/connection/pooledClient.ts"
import * as Sessions from "./internal/connection/sessions.ts"
import type * as PostgresPool from "./PostgresPool.ts"

export interface Options extends PostgresPool.Options {
  /** Maximum number of connections for the host's own statements and transactions. @defaultValue 10 */
  readonly maxConnections?: number | undefined
}

/**
 * Makes sure that the server gives a session, and whether a pooler such as PgBouncer is in between. Opens connections
 * when statements need them, closes those that were idle for one to two minutes, and closes all of them with the scope.
 * If the server refuses a further connection, the statements of `PgPool` wait up to five seconds for one in use.
 *
 * Behind a pooler, in session and in transaction mode, each transaction begins with the settings below, no statement
 * is prepared by name, and `PgClient.listen` fails.
 */
export const layer = (
  options: Options,
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | PgPool.PgPool, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))

/** Like {@link layer}, but reads the address from the environment variable `DATABASE_URL`. */
export const layerConfig = (
  options: Omit<Options, "url"> = {},
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient | PgPool.PgPool,
  SqlError | Config.ConfigError
> => Layer.unwrap(Effect.map(Config.Redacted("DATABASE_URL"), (url) => layer({ ...options, url })))

const make = Effect.fnUntraced(function* (options: Options) {
  const sessions = yield* Sessions.probe(options)
  const { configOf, isPooled, settings } = sessions
  const { maxConnections = Sessions.defaultMax } = options
  const ownClient = yield* PgClient.make({ ...configOf(settings), maxConnections })
  const pool = yield* Sessions.batchPool(sessions)
  const client = isPooled
    ? yield* PooledClient.make(
        ownClient,
        yield* Sessions.pool(sessions, settings, { maxConnections }),
      )
    : ownClient
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})
