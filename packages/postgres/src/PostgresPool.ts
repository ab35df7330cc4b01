/**
 * Connections to a PostgreSQL server, with the settings that the store requires, for hosts that run no statements of
 * their own over them. `PostgresClient` adds `PgClient` and `SqlClient`.
 *
 * `PgPool` lends connections that send a batch of statements at once.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type * as Duration from "@countersign/core/domain/values/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import * as Sessions from "./internal/connection/sessions.ts"

/** The address of the server, and limits. */
export interface Options {
  /** `postgres://user:password@host:port/database?sslmode=require` */
  readonly url: Redacted.Redacted
  /** Maximum number of connections for the store: one for each of its lanes, and for look-ups. @defaultValue 10 */
  readonly maxBatchConnections?: number | undefined
  /** Time limit for connecting. @defaultValue 5 seconds */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long the start waits for its first session. @defaultValue 10 seconds */
  readonly startTimeout?: Duration.Input | undefined
  /** How long a statement may wait for a lock on the server. @defaultValue 2 seconds */
  readonly lockTimeout?: Duration.Input | undefined
  /** How long a statement may run on the server. @defaultValue 10 seconds */
  readonly statementTimeout?: Duration.Input | undefined
  /** The server ends a session that is idle in a transaction for this long. @defaultValue 5 seconds */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
  /** The name in `pg_stat_activity`. @defaultValue `countersign` */
  readonly applicationName?: string | undefined
  /** Further PostgreSQL settings for every session. They override the settings above. */
  readonly startupParameters?: Readonly<Record<string, string>> | undefined
}

/**
 * Makes sure that the server gives a session, and whether a pooler such as PgBouncer is in between. Opens connections
 * when statements need them, closes those that were idle for one to two minutes, and closes all of them with the scope.
 * If the server refuses a further connection, statements wait up to five seconds for one in use.
 *
 * Behind a pooler, in session and in transaction mode, each transaction begins with the settings above, and no
 * statement is prepared by name.
 */
export const layer = (options: Options): Layer.Layer<PgPool.PgPool, SqlError> =>
  Layer.effect(PgPool.PgPool, Effect.flatMap(Sessions.probe(options), Sessions.batchPool))
