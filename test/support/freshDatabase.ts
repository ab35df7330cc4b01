/**
 * A database for one test, on the server of the test run.
 */
import { PgConnection } from "@effect/sql-pg"
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { PostgresServer } from "./PostgresServer.ts"

/**
 * Creates an empty database and gives its address. It is dropped with the scope, together with each session that
 * is still connected to it.
 *
 * `template` names a database to copy: one that has the tables already, and no connections.
 */
export const freshDatabase = (
  serverUrl: PostgresServer["url"],
  template = "template0",
): Effect.Effect<Redacted.Redacted, SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return Effect.acquireRelease(
      Effect.as(
        onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE "${template}" STRATEGY file_copy`),
        Redacted.make(url.href),
      ),
      // A server that is gone has dropped it already.
      () => Effect.ignore(onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
    )
  })

/** `CREATE DATABASE` cannot run in a transaction, so it has a connection to itself. */
const onServer = (serverUrl: string, sql: string): Effect.Effect<void, SqlError> =>
  Effect.scoped(
    Effect.flatMap(
      PgConnection.make({ url: Redacted.make(serverUrl), connectTimeout: "20 seconds" }),
      (connection) => Effect.asVoid(connection.query(sql, [], false)),
    ),
  )
