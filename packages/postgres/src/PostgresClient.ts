/**
 * `@effect/sql-pg` on a PostgreSQL server, with the settings that the store relies on.
 *
 * `PgClient` and `SqlClient` are for statements and transactions, `PgPool` lends connections on which a
 * batch of statements goes out at once. Each of the two has connections of its own.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { keptPlans } from "./internal/keptPlans.ts"

/** Where the server is, and what it may take. */
export interface Options {
  /** `postgres://user:password@host:port/database?sslmode=require` */
  readonly url: Redacted.Redacted
  /** Connections for the host's own statements and transactions. 10 by default; opened when needed. */
  readonly maxConnections?: number | undefined
  /**
   * Connections for the store: a batch or a look-up at a time on each. 10 by default, which leaves six
   * beside the four lanes of `PostgresStore`; opened when needed.
   */
  readonly maxBatchConnections?: number | undefined
  /** How long to try to connect. 5 seconds by default. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long the server lets a statement wait for a lock. 2 seconds by default. */
  readonly lockTimeout?: Duration.Input | undefined
  /** How long the server lets a statement run. 10 seconds by default. */
  readonly statementTimeout?: Duration.Input | undefined
  /**
   * How long a transaction may be open without a statement before the server ends the session. 5
   * seconds by default. It frees the locks of a node that has stalled.
   */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
  /** The name in `pg_stat_activity`. `countersign` by default. */
  readonly applicationName?: string | undefined
  /** Further PostgreSQL settings for every session. They win over the ones above. */
  readonly startupParameters?: Readonly<Record<string, string>> | undefined
}

/** Connects when the first statement is run, and closes all connections with the scope. */
export const layer = (
  options: Options,
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | PgPool.PgPool, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))

/** Like {@link layer}, with the address from the environment variable `DATABASE_URL`. */
export const layerConfig = (
  options: Omit<Options, "url"> = {},
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient | PgPool.PgPool,
  SqlError | Config.ConfigError
> => Layer.unwrap(Effect.map(Config.Redacted("DATABASE_URL"), (url) => layer({ ...options, url })))

const make = Effect.fnUntraced(function* (options: Options) {
  const connection = {
    url: options.url,
    connectTimeout: options.connectTimeout ?? "5 seconds",
    // A network that swallows packets is noticed, even between two statements.
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "countersign",
    startupParameters: {
      // A plan that was made while a table was empty must not outlive that.
      plan_cache_mode: "force_custom_plan",
      timezone: "UTC",
      lock_timeout: millis(options.lockTimeout ?? "2 seconds"),
      statement_timeout: millis(options.statementTimeout ?? "10 seconds"),
      idle_in_transaction_session_timeout: millis(options.idleInTransactionTimeout ?? "5 seconds"),
      ...options.startupParameters,
    },
  } as const
  const client = yield* PgClient.make({
    ...connection,
    maxConnections: options.maxConnections ?? 10,
  })
  const pool = yield* PgPool.make({
    ...connection,
    startupParameters: {
      ...connection.startupParameters,
      ...keptPlans,
      ...options.startupParameters,
    },
    maxConnections: options.maxBatchConnections ?? 10,
    multiplex: true,
    multiplexConcurrency: 1,
  })
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

/** PostgreSQL takes a bare number as milliseconds; 0 would mean no limit at all. */
const millis = (input: Duration.Input): string =>
  String(Math.max(1, Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(input)))))
