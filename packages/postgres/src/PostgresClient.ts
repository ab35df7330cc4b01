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
import * as Sessions from "./internal/connection/sessions.ts"
import type * as PostgresPool from "./PostgresPool.ts"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type { Connection } from "effect/sql/SqlConnection"
import * as Stream from "effect/Stream"
import { commit } from "./internal/connection/pipeline.ts"
import { rollbackOf } from "./internal/connection/session.ts"

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
    ? yield* overPool(ownClient, yield* Sessions.pool(sessions, settings, { maxConnections }))
    : ownClient
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

type Transform = Parameters<Connection["execute"]>[2]

const connectionOf = (connection: PgConnection.PgConnection): Connection => {
  const { query, queryValues, stream } = connection
  const execute = (sql: string, params: ReadonlyArray<unknown>, transform: Transform) =>
    Effect.map(query(sql, params), ({ rows }) => transform?.(rows) ?? rows)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) =>
      Effect.tap(query(sql, params), (result) => {
        const failed = rollbackOf(sql, result.command)
        return failed === undefined ? Effect.void : Effect.fail(failed)
      }),
    executeValues: queryValues,
    executeValuesUnprepared: queryValues,
    executeStream: (sql, params, transform) => {
      const rows = stream(sql, params)
      return transform === undefined
        ? rows
        : Stream.flatMap(rows, (row) => Stream.fromIterable(transform([row])))
    },
  }
}

/**
 * Replaces the connections of `client` by the connections of the pool. A client of `@effect/sql-pg` has connections of
 * its own, and this client opens none.
 */
const overPool = Effect.fnUntraced(function* (client: PgClient.PgClient, pool: PgPool.PgPool) {
  const made = yield* SqlClient.make({
    driver: client.driver,
    acquirer: Effect.map(pool.get, connectionOf),
    borrower: (f) => pool.use((connection) => f(connectionOf(connection))),
    transactionAcquirer: Effect.map(pool.reserve, connectionOf),
    compiler: PgClient.makeCompiler(),
    commit: (connection) => Effect.asVoid(connection.executeRaw(commit.sql, [])),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]],
  })
  const pooled: PgClient.PgClient = Object.assign(made, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: client.config,
    json: client.json,
    listen: (channel: string) => Effect.flatMap(pool.get, ({ listen }) => listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(pool.use(({ query }) => query("SELECT pg_notify($1, $2)", [channel, payload]))),
  })
  return pooled
})
