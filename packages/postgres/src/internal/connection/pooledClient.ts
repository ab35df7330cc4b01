/** `PgClient` over the connections of a pool that are behind a pooler. */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as Stream from "effect/Stream"
import { commit } from "./pipeline.ts"
import { rollbackOf } from "./session.ts"

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
 * Replaces the connections of `client`, which opens none, by those of the pool. The client of `@effect/sql-pg` makes
 * its own.
 */
export const make = Effect.fnUntraced(function* (client: PgClient.PgClient, pool: PgPool.PgPool) {
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
