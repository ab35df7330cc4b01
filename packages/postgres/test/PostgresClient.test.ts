import { PgClient, PgPool } from "@effect/sql-pg"
import { assert, describe, inject, it, layer } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { lend, runBatch, begin } from "../src/internal/connection/pipeline.ts"
import * as PostgresClient from "../src/PostgresClient.ts"
import { server } from "./fixtures/databases.ts"

const settings = [
  "application_name",
  "idle_in_transaction_session_timeout",
  "lock_timeout",
  "plan_cache_mode",
  "statement_timeout",
  "TimeZone",
]

const readSettings = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const pool = yield* PgPool.PgPool
  const query = `SELECT ${settings.map((name) => `current_setting('${name}')`).join(", ")}`
  const [single] = yield* sql.unsafe(query).values
  const [batch] = yield* pool.use((connection) => connection.queryValues(query))
  return { single, batch }
})

/** The waits of a host that sets none. */
const defaults = {
  lockTimeout: undefined,
  statementTimeout: undefined,
  idleInTransactionTimeout: undefined,
}

layer(server(defaults), { excludeTestServices: true })("PostgresClient", (it) => {
  it.effect("gives every session bounded waits, UTC and safe plans", () =>
    Effect.gen(function* () {
      const withPlans = (plans: string) => ["countersign", "5s", "2s", plans, "10s", "UTC"]
      assert.deepStrictEqual(yield* readSettings, {
        // Planned again for every statement.
        single: withPlans("force_custom_plan"),
        // Kept: see statementPlans.test.ts.
        batch: withPlans("force_generic_plan"),
      })
    }),
  )

  it.effect("reports a held lock as LockTimeoutError", () =>
    Effect.gen(function* () {
      const pool = yield* PgPool.PgPool
      const lock = { sql: "SELECT pg_advisory_xact_lock(1)" }
      const error = yield* lend(pool, (holder) =>
        Effect.andThen(
          runBatch(holder, [begin, lock]),
          Effect.flip(
            lend(pool, (other) =>
              runBatch(other, [begin, { sql: "SET LOCAL lock_timeout = 50" }, lock]),
            ),
          ),
        ),
      )
      assert.strictEqual(error.reason._tag, "LockTimeoutError")
    }),
  )

  it.effect("ends the session of a transaction that is idle too long", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const pool = yield* PgPool.PgPool
      const isThere = (processId: number) =>
        sql<{ readonly there: boolean }>`
          SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ${processId}) AS there`
      yield* Effect.ignore(
        lend(pool, (idle) =>
          Effect.gen(function* () {
            const limit = "SET LOCAL idle_in_transaction_session_timeout = 50"
            yield* runBatch(idle, [begin, { sql: limit }])
            const gone = isThere(idle.processId).pipe(Effect.map(([row]) => row?.there === false))
            yield* Effect.repeat(gone, { until: (isGone) => isGone })
          }),
        ),
      )
    }),
  )
})

describe("the options", () => {
  it.live("are durations, and startup parameters take precedence", () =>
    Effect.gen(function* () {
      const { batch } = yield* readSettings
      assert.deepStrictEqual(batch, ["node-7", "1min", "1ms", "auto", "90s", "UTC"])
    }).pipe(
      Effect.provide(
        server({
          applicationName: "node-7",
          idleInTransactionTimeout: "1 minute",
          // Never 0, which would be no limit at all.
          lockTimeout: "10 micros",
          statementTimeout: "1.5 minutes",
          startupParameters: { plan_cache_mode: "auto" },
        }),
      ),
    ),
  )

  it.live("read the address from DATABASE_URL", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }).pipe(
      Effect.provide(PostgresClient.layerConfig()),
      Effect.provide(
        ConfigProvider.layer(
          ConfigProvider.fromEnv({ env: { DATABASE_URL: inject("postgresUrl") } }),
        ),
      ),
    ),
  )

  it.live("fail with a ConnectionError without a server", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const error = yield* Effect.flip(sql`SELECT 1`)
      assert.strictEqual(error.reason._tag, "ConnectionError")
      assert.notInclude(String(error), "hunter2")
    }).pipe(
      Effect.provide(
        PostgresClient.layer({ url: Redacted.make("postgres://user:hunter2@127.0.0.1:1/none") }),
      ),
    ),
  )
})
