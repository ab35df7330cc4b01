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
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { keptPlans } from "./internal/connection/keptPlans.ts"
import { registry } from "./internal/connection/registry.ts"

/** The address of the server, and limits. */
export interface Options {
  /** `postgres://user:password@host:port/database?sslmode=require` */
  readonly url: Redacted.Redacted
  /** Maximum number of connections for the host's own statements and transactions. @defaultValue 10 */
  readonly maxConnections?: number | undefined
  /** Maximum number of connections for the store: one for each of its lanes, and for look-ups. @defaultValue 10 */
  readonly maxBatchConnections?: number | undefined
  /** Time limit for connecting. @defaultValue 5 seconds */
  readonly connectTimeout?: Duration.Input | undefined
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

/** Connects at the first statement, and closes all connections with the scope. */
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
  const connection = {
    url: options.url,
    connectTimeout: options.connectTimeout ?? "5 seconds",
    // Detects a network that drops packets, even between two statements.
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "countersign",
    startupParameters: {
      // A plan that was made for an empty table must not be kept.
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
    types: registry,
  })
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

/** PostgreSQL reads a bare number as milliseconds. 0 would mean no limit. */
const millis = (input: Duration.Input): string =>
  String(Math.max(1, Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(input)))))
