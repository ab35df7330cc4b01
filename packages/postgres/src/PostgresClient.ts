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
import * as Duration from "@countersign/core/domain/values/Duration"
import * as EffectDuration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { keptPlans } from "./internal/connection/keptPlans.ts"
import * as Pooler from "./internal/connection/pooler.ts"
import { probe } from "./internal/connection/probe.ts"
import * as SharedPool from "./internal/connection/sharedPool.ts"

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

const defaultMax = 10

const make = Effect.fnUntraced(function* (options: Options) {
  const connection = {
    url: options.url,
    connectTimeout: `${Number(millis(options.connectTimeout ?? "5 seconds"))} millis`,
    // Detects a network that drops packets, even between two statements.
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "countersign",
  } as const
  const settings = {
    // A plan that was made for an empty table must not be kept.
    plan_cache_mode: "force_custom_plan",
    timezone: "UTC",
    lock_timeout: millis(options.lockTimeout ?? "2 seconds"),
    statement_timeout: millis(options.statementTimeout ?? "10 seconds"),
    idle_in_transaction_session_timeout: millis(options.idleInTransactionTimeout ?? "5 seconds"),
    ...options.startupParameters,
  }
  const batchSettings = { ...settings, ...keptPlans, ...options.startupParameters }
  const limit = EffectDuration.millis(Number(millis(options.startTimeout ?? "10 seconds")))
  const isPooled = yield* probe(connection, limit)
  // A pooler refuses most settings at the start of a session.
  const atStart = <A>(settings: A) => (isPooled ? {} : { startupParameters: settings })
  const ownClient = yield* PgClient.make({
    ...connection,
    ...atStart(settings),
    maxConnections: options.maxConnections ?? defaultMax,
  })
  const open = (settings: Readonly<Record<string, string>>, config: PgPool.Config) =>
    Effect.flatMap(PgPool.make({ ...connection, ...atStart(settings), ...config }), (pool) =>
      isPooled
        ? Pooler.makePool(pool, settings, config.maxConnections ?? defaultMax)
        : Effect.succeed(SharedPool.make(pool)),
    )
  const pool = yield* open(batchSettings, {
    maxConnections: options.maxBatchConnections ?? defaultMax,
    multiplex: true,
    multiplexConcurrency: 1,
  })
  const maxConnections = options.maxConnections ?? defaultMax
  const client = isPooled
    ? yield* Pooler.makeClient(ownClient, yield* open(settings, { maxConnections }))
    : ownClient
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

/** PostgreSQL reads a bare number as milliseconds. 0 would mean no limit. */
const millis = (input: Duration.Input): string =>
  String(Math.max(1, Duration.millisOfOption("A time limit", input)))
