/** The engine behind a real PgBouncer, in both modes that it works in. */
import { exitCodes } from "@countersign/cli/ExitCode"
import * as Inspection from "@countersign/postgres/Inspection"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { assert, describe, inject, it } from "@effect/vitest"
import { createCountersign, developmentGateway } from "countersign"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Pool } from "pg"
import { patient } from "../../packages/postgres/test/fixtures/databases.ts"
import { one, storesOn } from "../../packages/postgres/test/fixtures/stores.ts"
import { runBare } from "../../packages/cli/test/support/runCli.ts"
import { programsOf } from "../gateways/smpp/debian.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { type Options, startPgBouncer } from "../support/pgbouncer.ts"
import { test, testsOver } from "../support/testsOver.ts"

const programs = await programsOf("pgbouncer")

const modes = ["session", "transaction"] as const

/** The addresses of an empty database, through the pooler and without it. */
const pooled = Effect.fnUntraced(function* (options: Options) {
  if ("missing" in programs) return yield* Effect.die(new Error(programs.missing))
  const direct = yield* freshDatabase(inject("postgresUrl"))
  const through = yield* startPgBouncer(programs, inject("postgresUrl"), options)
  return { direct, url: through(direct) }
})

const client = (
  options: Options,
  settings: Omit<PostgresClient.Options, "url"> = {},
): ReturnType<typeof PostgresClient.layer> =>
  Layer.unwrap(Effect.map(pooled(options), ({ url }) => PostgresClient.layer({ ...settings, url })))

/** Sends messages through an engine, and returns what its log said and what its ledger says. */
const sends = (options: Options, count: number, isOfHost = false) =>
  Effect.gen(function* () {
    const { url } = yield* pooled(options)
    const log: Array<string> = []
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool({ connectionString: Redacted.value(url), max: 2 })),
      (pool) => Effect.promise(() => pool.end()),
    )
    const countersign = yield* Effect.acquireRelease(
      Effect.promise(() =>
        createCountersign({
          database: isOfHost ? { pool } : Redacted.value(url),
          secret: "a secret for tests, and for nothing else",
          gateways: { sms: developmentGateway(() => {}) },
          log: ({ message }) => log.push(message),
        }),
      ),
      (countersign) => Effect.promise(() => countersign.dispose()),
    )
    yield* Effect.promise(() => countersign.account.topUp({ amount: "1000", paymentId: "first" }))
    yield* Effect.promise(() =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          countersign.messages.send({ phoneNumber: `+88017${12_000_000 + index}`, text: "Hello" }),
        ),
      ),
    )
    const balance = yield* Effect.promise(() => countersign.account.balance())
    return { balance, log }
  })

/** Each transaction may have another session: the harder mode. */
const stores = (): void =>
  StoreSuite.suite(
    "behind PgBouncer in transaction mode",
    storesOn(client({ mode: "transaction" }, patient))(one({})),
  )

const inMode = (mode: Options["mode"]): void => {
  test.live(
    "carries a run of sends",
    function* () {
      const { balance, log } = yield* sends({ mode }, 400)
      assert.deepInclude(balance, { held: "0.00" })
      assert.deepStrictEqual(log, [])
    },
    60_000,
  )

  test.live(
    "carries a run of sends over a pool of the host",
    function* () {
      const { balance, log } = yield* sends({ mode }, 400, true)
      assert.deepInclude(balance, { held: "0.00" })
      assert.deepStrictEqual(log, [])
    },
    60_000,
  )

  const limits = { lockTimeout: "300 milliseconds", statementTimeout: "600 milliseconds" } as const
  testsOver(client({ mode }, limits)).live(
    "applies the time limits to single statements, transactions and the host's statements",
    function* () {
      const sql = yield* PgClient.PgClient
      const pool = yield* PgPool.PgPool
      yield* sql`CREATE TABLE held (id int PRIMARY KEY)`
      yield* sql`INSERT INTO held VALUES (1)`
      const lock = "SELECT id FROM held FOR UPDATE"
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(lock)
          const single = yield* Effect.flip(pool.use(({ query }) => query(lock)))
          assert.strictEqual(single.reason._tag, "LockTimeoutError")
          const inTransaction = pool.use(({ query }) =>
            query("BEGIN").pipe(
              Effect.andThen(query(lock)),
              Effect.ensuring(Effect.orDie(query("ROLLBACK"))),
            ),
          )
          assert.strictEqual((yield* Effect.flip(inTransaction)).reason._tag, "LockTimeoutError")
        }),
      )
      for (const slow of [
        sql`SELECT pg_sleep(5)`,
        sql.withTransaction(sql`SELECT pg_sleep(5)`),
        Stream.runDrain(sql`SELECT pg_sleep(5)`.stream),
        pool.use(({ query }) => query("SELECT pg_sleep(5)")),
      ]) {
        assert.strictEqual((yield* Effect.flip(slow)).reason._tag, "StatementTimeoutError")
      }
      assert.deepStrictEqual(yield* sql`SELECT current_setting('TimeZone') AS zone`, [
        { zone: "UTC" },
      ])
    },
  )

  testsOver(client({ mode })).live(
    "commits and rolls back transactions of the host, and refuses LISTEN",
    function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE rows (id int PRIMARY KEY)`
      const insert = (id: number) => sql`INSERT INTO rows VALUES (${id})`
      yield* sql.withTransaction(
        Effect.andThen(
          insert(1),
          Effect.ignore(sql.withTransaction(Effect.andThen(insert(2), insert(1)))),
        ),
      )
      assert.isTrue(
        Exit.isFailure(
          yield* Effect.exit(sql.withTransaction(Effect.andThen(insert(3), insert(1)))),
        ),
      )
      assert.deepStrictEqual(yield* sql`SELECT id FROM rows`, [{ id: 1 }])
      assert.deepStrictEqual(yield* Stream.runCollect(sql`SELECT id FROM rows`.stream), [{ id: 1 }])
      const error = yield* Effect.flip(Effect.scoped(sql.listen("news")))
      assert.include(error.reason.message, "the database is behind a pooler")
    },
  )

  test.live("is found by doctor", function* () {
    const { direct, url } = yield* pooled({ mode })
    const poolerAt = (url: Redacted.Redacted) =>
      Effect.provide(Inspection.pooler, PostgresClient.layer({ url }))
    assert.strictEqual(yield* poolerAt(direct), "none")
    assert.strictEqual(yield* poolerAt(url), mode === "transaction" ? mode : "unknown")
    const env = { DATABASE_URL: Redacted.value(url) }
    const migrated = yield* runBare(["migrate"], { env })
    assert.strictEqual(migrated.exitCode, exitCodes.done, migrated.stderr)
    const { stdout } = yield* runBare(["doctor"], { env })
    assert.match(stdout, new RegExp(`\\nok {7}pooler: A pooler .*${mode} mode`))
    assert.match(stdout, /\nok {7}time limits: /)
    assert.match(stdout, /\nok {7}schema: /)
  })

  test.live(
    "starts and serves with one session",
    function* () {
      const { balance, log } = yield* sends({ mode, poolSize: 1 }, 100)
      assert.deepInclude(balance, { held: "0.00" })
      // Whether a second connection is tried depends on what runs at the same time.
      const others = log.filter((text) => !text.includes("The pooler gave 1 of up to 10 sessions"))
      assert.deepStrictEqual(others, [])
    },
    60_000,
  )
}

const withoutPgBouncer = (): void => {
  it("runs behind PgBouncer", (context) => {
    context.skip("missing" in programs ? programs.missing : "")
  })
}

const tests = "missing" in programs ? withoutPgBouncer : inMode
const storeTests = "missing" in programs ? withoutPgBouncer : stores
for (const mode of modes) {
  describe(`PgBouncer in ${mode} mode`, () => {
    tests(mode)
  })
}
describe("the suite of stores", () => {
  storeTests()
})

describe("a start without a free session", () => {
  test.effect(
    "says after two seconds what it waits for, and fails after its limit",
    function* (context) {
      if ("missing" in programs) return context.skip(programs.missing)
      const { url } = yield* pooled({ mode: "session", poolSize: 1 })
      yield* Effect.flatMap(PgConnection.make({ url }), ({ query }) => query("SELECT 1"))
      const { fiber, log } = yield* starting(url)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(log.length, 1)
      assert.include(log[0], "at most 10s")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("8 seconds")
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.include(error.reason.message, "The database gave no session within 10s")
    },
  )
})

const starting = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const log: Array<string> = []
  const logger = Logger.make(({ message }) => log.push(String(message)))
  const fiber = yield* Layer.build(PostgresClient.layer({ url })).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.forkScoped({ startImmediately: true }),
  )
  return { fiber, log }
})
