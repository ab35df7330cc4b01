import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { assert, describe, inject, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { createServer } from "node:net"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import { begin, lend, runBatch } from "../src/internal/connection/pipeline.ts"
import * as PostgresClient from "../src/PostgresClient.ts"
import { server, until } from "./fixtures/databases.ts"
import { storeOver } from "./fixtures/watchedPool.ts"
import { test } from "../../../test/support/testsOver.ts"

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

describe("the options", () => {
  it.live("give every session bounded waits, UTC and safe plans by default", () =>
    Effect.gen(function* () {
      const withPlans = (plans: string) => ["countersign", "5s", "2s", plans, "10s", "UTC"]
      assert.deepStrictEqual(yield* readSettings, {
        // Planned again for every statement.
        single: withPlans("force_custom_plan"),
        // Kept: see plans.test.ts.
        batch: withPlans("force_generic_plan"),
      })
    }).pipe(Effect.provide(server(defaults))),
  )

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
          lockTimeout: "0 seconds",
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

  test.live("fail the start with a ConnectionError without a server", function* () {
    const url = Redacted.make("postgres://user:hunter2@127.0.0.1:1/none")
    const error = yield* Effect.flip(Layer.build(PostgresClient.layer({ url })))
    assert.strictEqual(error.reason._tag, "ConnectionError")
    assert.notInclude(String(error), "hunter2")
  })
})

describe("a session", () => {
  it.live("reports a held lock as LockTimeoutError", () =>
    Effect.gen(function* () {
      const pool = yield* PgPool.PgPool
      const lock = { sql: "SELECT pg_advisory_xact_lock(1)" }
      const waiting = [begin, { sql: "SET LOCAL lock_timeout = 50" }, lock]
      const error = yield* lend(pool, (holder) =>
        Effect.andThen(
          runBatch(holder, [begin, lock]),
          Effect.flip(lend(pool, (other) => runBatch(other, waiting))),
        ),
      )
      assert.strictEqual(error.reason._tag, "LockTimeoutError")
    }).pipe(Effect.provide(server(defaults))),
  )

  it.live("ends if its transaction is idle too long", () =>
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
            yield* until(isThere(idle.processId), ([row]) => assert.isFalse(row?.there))
          }),
        ),
      )
    }).pipe(Effect.provide(server(defaults))),
  )
})

describe("a start", () => {
  test.effect("says after two seconds what it waits for, and fails after its limit", function* () {
    const port = yield* silentPort
    const log: Array<string> = []
    const logger = Logger.make(({ message }) => log.push(String(message)))
    const fiber = yield* Layer.build(
      PostgresClient.layer({
        url: Redacted.make(`postgres://x@127.0.0.1:${port}/none?sslmode=disable`),
        startTimeout: "7 seconds",
      }),
    ).pipe(Effect.provide(Logger.layer([logger])), Effect.forkScoped({ startImmediately: true }))
    yield* TestClock.adjust("1999 millis")
    assert.deepStrictEqual(log, [])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(log.length, 1)
    assert.match(log[0] ?? "", /^The database has given no session yet\. .* at most 7s\./)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("5 seconds")
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.include(error.reason.message, "The database gave no session within 7s")
  })

  test.live("waits for a server that has no connection free", function* () {
    const url = yield* withOneConnection
    const holding = yield* Scope.make()
    yield* PgConnection.make({ url }).pipe(Scope.provide(holding))
    const refused = yield* Effect.flip(
      Layer.build(PostgresClient.layer({ url, startTimeout: "300 milliseconds" })),
    )
    assert.include(refused.reason.message, "all connections of the server")
    const fiber = yield* Effect.forkScoped(Layer.build(PostgresClient.layer({ url })), {
      startImmediately: true,
    })
    yield* Scope.close(holding, Exit.void)
    yield* Fiber.join(fiber)
  })
})

/** The address of a server that gives one connection. */
const withOneConnection = Effect.gen(function* () {
  const admin = yield* PgConnection.make({ url: Redacted.make(inject("postgresUrl")) })
  const role = `limited_${process.pid}`
  yield* Effect.acquireRelease(
    admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1`, [], false),
    () => Effect.orDie(admin.query(`DROP ROLE ${role}`, [], false)),
  )
  const limited = new URL(inject("postgresUrl"))
  limited.username = role
  limited.password = "x"
  return Redacted.make(limited.href)
})

describe("connections", () => {
  test.live("are shared if the server gives one", function* () {
    const url = yield* withOneConnection
    const pool = Context.get(yield* Layer.build(PostgresClient.layer({ url })), PgPool.PgPool)
    const all = Array.from({ length: 5 }, () =>
      pool.use(({ queryValues }) => queryValues("SELECT 1 FROM pg_sleep(0.01)")),
    )
    assert.deepStrictEqual(
      yield* Effect.all(all, { concurrency: "unbounded" }),
      Array.from({ length: 5 }, () => [[1]]),
    )
  })

  test.effect("are opened when statements need them, and close when they are idle", function* () {
    const name = `count_${process.pid}`
    const url = yield* freshDatabase(inject("postgresUrl"))
    const admin = yield* PgConnection.make({ url })
    const open = Effect.map(
      admin.queryValues(
        `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = '${name}'`,
      ),
      (rows) => rows[0]?.[0],
    )
    const opened = (count: number) => until(open, (found) => assert.strictEqual(found, count))
    const context = yield* Layer.build(PostgresClient.layer({ url, applicationName: name }))
    yield* opened(0)
    const pool = Context.get(context, PgPool.PgPool)
    const store = yield* storeOver(pool)
    // Its migration, and then its scans in turn.
    assert.isAtMost(Number(yield* open), 2)
    const all = Array.from({ length: 10 }, () =>
      pool.use(({ query }) => query("SELECT pg_sleep(0.2)")),
    )
    yield* Effect.all(all, { concurrency: "unbounded" })
    yield* opened(10)
    // The pool looks once a minute for connections that were idle for a minute. A scan may use one meanwhile.
    yield* until(Effect.andThen(TestClock.adjust("1 minute"), open), (found) =>
      assert.strictEqual(found, 0),
    )
    assert.deepStrictEqual(yield* store.organizations(undefined, 1), [])
    yield* opened(1)
  })
})

/** The port of a server that accepts connections and answers nothing, as a pooler without a free session. */
const silentPort = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close()),
).pipe(
  Effect.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }),
)
