/** The settings of all sessions of a node, and its pools. */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as EffectDuration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Options } from "../../PostgresPool.ts"
import { keptPlans } from "./keptPlans.ts"
import * as Pooler from "./pooler.ts"
import * as Probe from "./probe.ts"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { sqlState } from "./failures.ts"

export const defaultMax = 10

/** Waits for the first session. */
export const probe = Effect.fnUntraced(function* (options: Options) {
  const connection = {
    url: options.url,
    connectTimeout: `${Number(millis(options.connectTimeout ?? "5 seconds"))} millis`,
    // Detects a network that drops packets, even between two statements.
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "countersign",
  } as const
  const settings = { ...settingsOf(options), ...options.startupParameters }
  const limit = EffectDuration.millis(Number(millis(options.startTimeout ?? "10 seconds")))
  const isPooled = yield* Probe.probe(connection, limit)
  // A pooler refuses most settings at the start of a session.
  const configOf = (settings: Readonly<Record<string, string>>) => ({
    ...connection,
    ...(isPooled ? {} : { startupParameters: settings }),
  })
  return { options, settings, isPooled, configOf }
})

/** The settings of every session, or of every transaction of a session that is not our own. */
export const settingsOf = (options: Omit<Options, "url">) => ({
  // A plan that was made for an empty table must not be kept.
  plan_cache_mode: "force_custom_plan",
  timezone: "UTC",
  lock_timeout: millis(options.lockTimeout ?? "2 seconds"),
  statement_timeout: millis(options.statementTimeout ?? "10 seconds"),
  idle_in_transaction_session_timeout: millis(options.idleInTransactionTimeout ?? "5 seconds"),
})

export type Sessions = Effect.Success<ReturnType<typeof probe>>

/** A pool whose sessions have the settings. */
export const pool = (
  { configOf, isPooled }: Sessions,
  settings: Readonly<Record<string, string>>,
  config: PgPool.Config,
) =>
  Effect.flatMap(PgPool.make({ ...configOf(settings), ...config }), (made) =>
    isPooled
      ? Pooler.makePool(made, settings, config.maxConnections ?? defaultMax)
      : Effect.succeed(sharing(made)),
  )

/** The pool of the store. */
export const batchPool = (self: Sessions) => {
  const { options, settings } = self
  return pool(
    self,
    { ...settings, ...keptPlans, ...options.startupParameters },
    {
      maxConnections: options.maxBatchConnections ?? defaultMax,
      multiplex: true,
      multiplexConcurrency: 1,
    },
  )
}

/** PostgreSQL reads a bare number as milliseconds. 0 would mean no limit. */
const millis = (input: Duration.Input): string =>
  String(Math.max(1, Duration.millisOfOption("A time limit", input)))

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
const sharing = (pool: PgPool.PgPool): PgPool.PgPool => ({
  ...pool,
  get: waiting(pool.get),
  reserve: waiting(pool.reserve),
  use: (f) => waiting(pool.use(f)),
})
