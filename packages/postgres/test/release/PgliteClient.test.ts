import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import Fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { begin, commit, lend, runBatch } from "../../src/internal/connection/pipeline.ts"
import { isConnectionLost } from "../../src/internal/connection/failures.ts"
import * as PgliteClient from "../../src/PgliteClient.ts"
import { copyOf, temporaryFolder } from "../fixtures/folders.ts"
import { killedWriter, onFolder } from "../fixtures/pgliteKills.ts"

layer(PgliteClient.layer(), { excludeTestServices: true })("PgliteClient in memory", (it) => {
  it.effect("has the settings that the store relies on", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const settings = yield* sql<{ readonly name: string; readonly setting: string }>`
        SELECT name, setting FROM pg_settings
        WHERE name IN ('plan_cache_mode', 'TimeZone', 'max_wal_size') ORDER BY name`
      assert.deepStrictEqual(settings, [
        { name: "TimeZone", setting: "UTC" },
        { name: "max_wal_size", setting: "64" },
        { name: "plan_cache_mode", setting: "force_generic_plan" },
      ])
    }),
  )

  it.effect("isolates parallel transactions, with commits and rollbacks", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE counter (value int NOT NULL)`
      yield* sql`INSERT INTO counter VALUES (0)`
      const increment = (fails: boolean) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ readonly value: number }>`SELECT value FROM counter`
            yield* Effect.yieldNow
            yield* sql`UPDATE counter SET value = ${(row?.value ?? 0) + 1}`
            if (fails) return yield* Effect.fail("no")
          }),
        )
      const exits = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index % 4 === 0),
        (fails) => Effect.exit(increment(fails)),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 30)
      assert.deepStrictEqual(yield* sql`SELECT value FROM counter`, [{ value: 30 }])
    }),
  )

  it.effect("transfers results and parameters that are larger than its buffers", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const long = "0123456789".repeat(400_000)
      const [row] = yield* sql<{ readonly echo: string }>`SELECT ${long}::text AS echo`
      assert.strictEqual(row?.echo, long)
    }),
  )

  it.effect("rolls back the transaction of a closed connection, and drops its statements", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const pool = yield* PgPool.PgPool
      yield* sql`CREATE TABLE left_open (id int)`
      const statement = "INSERT INTO left_open VALUES (1)"
      yield* lend(pool, (connection) =>
        Effect.gen(function* () {
          yield* runBatch(connection, [begin, { sql: statement }])
          yield* pool.invalidate(connection)
        }),
      )
      assert.deepStrictEqual(yield* sql`SELECT * FROM left_open`, [])
      const names =
        yield* sql`SELECT name FROM pg_prepared_statements WHERE statement = ${statement}`
      assert.deepStrictEqual(names, [])
    }),
  )

  it.effect("lets timers run between the statements of a busy fiber", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const busy = yield* Effect.forkChild(Effect.forever(sql`SELECT 1`))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 0)))
      yield* Fiber.interrupt(busy)
    }),
  )
})

describe("a transaction that is idle for too long", () => {
  it.live("is rolled back, and waiting transactions continue", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE waited (id int)`
      const cutOff = yield* Deferred.make<void>()
      const idle = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO waited VALUES (1)`
            yield* Deferred.await(cutOff)
            yield* sql`INSERT INTO waited VALUES (2)`
          }),
        ),
        { startImmediately: true },
      )
      // Not answered before the other's time is up.
      assert.deepStrictEqual(yield* sql`SELECT id FROM waited`, [])
      yield* Deferred.succeed(cutOff, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(idle)))
      assert.deepStrictEqual(yield* sql`SELECT id FROM waited`, [])
    }).pipe(Effect.provide(PgliteClient.layer({ idleInTransactionTimeout: "100 milliseconds" }))),
  )
})

describe("PgliteClient on a folder", () => {
  // Making a database takes seconds, copying one does not.
  let newDatabase = ""

  beforeAll(async () => {
    newDatabase = Fs.mkdtempSync(Path.join(Os.tmpdir(), "countersign-new-"))
    await Effect.runPromise(
      Effect.scoped(Layer.build(PgliteClient.layer({ dataDir: newDatabase }))),
    )
  })

  afterAll(() => Fs.rmSync(newDatabase, { recursive: true }))

  it.live("keeps committed rows, and makes the folder for its owner only", () =>
    Effect.gen(function* () {
      const dataDir = Path.join(yield* temporaryFolder, "made", "for", "it")
      const on = onFolder(dataDir)
      yield* on((sql) => sql`CREATE TABLE kept AS SELECT 7 AS id`)
      assert.strictEqual(Fs.statSync(dataDir).mode & 0o777, 0o700)
      assert.strictEqual(Fs.statSync(Path.join(dataDir, "pgdata")).mode & 0o777, 0o700)
      const rows = yield* on((sql) => sql`SELECT id, current_setting('fsync') AS fsync FROM kept`)
      assert.deepStrictEqual(rows, [{ id: 7, fsync: "on" }])
    }),
  )

  it.live("starts again after a first start that was cut short", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const unfinished = Path.join(dataDir, "pgdata.unfinished")
      Fs.mkdirSync(unfinished)
      Fs.writeFileSync(Path.join(unfinished, "PG_VERSION"), "18\n")
      const answer = yield* onFolder(dataDir)((sql) => sql`SELECT 1 AS one`)
      assert.deepStrictEqual(answer, [{ one: 1 }])
      assert.isFalse(Fs.existsSync(unfinished))
    }),
  )

  it.live("refuses a folder that is open", () =>
    Effect.gen(function* () {
      const dataDir = yield* copyOf(newDatabase)
      const open = Effect.provide(PgClient.PgClient, PgliteClient.layer({ dataDir }))
      const refused = yield* Effect.flip(open).pipe(Effect.provide(PgliteClient.layer({ dataDir })))
      assert.instanceOf(refused, PgliteClient.DataFolderInUse)
      assert.deepInclude(refused, { folder: dataDir, holder: process.pid })
      assert.include(refused.message, `${dataDir} is in use by process ${process.pid}`)
    }),
  )

  it.live("fails with a clear error if the folder cannot be used", () =>
    Effect.gen(function* () {
      const file = Path.join(yield* temporaryFolder, "file")
      Fs.writeFileSync(file, "")
      const error = yield* Effect.flip(
        Effect.provide(
          PgClient.PgClient,
          PgliteClient.layer({ dataDir: Path.join(file, "below") }),
        ),
      )
      assert.instanceOf(error, PgliteClient.PgliteStartError)
      assert.include(error.message, file)
    }),
  )

  for (const fsync of ["on", "off"] as const) {
    it.live(`loses no acknowledged commit to SIGKILL, with fsync ${fsync}`, () =>
      Effect.gen(function* () {
        const dataDir = yield* copyOf(newDatabase)
        // Each round dies elsewhere.
        for (let round = 1; round <= 4; round++) yield* killedWriter(dataDir, fsync, round * 37)
      }),
    )
  }

  it.live("calls fsync at every commit, and not before", () =>
    Effect.gen(function* () {
      const dataDir = yield* copyOf(newDatabase)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE synced (id int)`
        let syncs = 0
        yield* replaceFsync(() => syncs++)
        yield* sql`INSERT INTO synced VALUES (1)`
        assert.strictEqual(syncs, 1)
        yield* sql.withTransaction(
          sql`INSERT INTO synced VALUES (2)`.pipe(Effect.repeat({ times: 4 })),
        )
        assert.strictEqual(syncs, 2)
        yield* sql`SELECT * FROM synced`
        assert.strictEqual(syncs, 2)
      }).pipe(Effect.scoped, Effect.provide(PgliteClient.layer({ dataDir })))
    }),
  )

  it.live("fails if the disk fails, without an acknowledgement or a hang", () =>
    Effect.gen(function* () {
      const dataDir = yield* copyOf(newDatabase)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const pool = yield* PgPool.PgPool
        yield* sql`CREATE TABLE unlucky (id int)`
        yield* replaceFsync(() => {
          throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" })
        })
        const insert = { sql: "INSERT INTO unlucky VALUES (1)" }
        const error = yield* Effect.flip(
          lend(pool, (connection) => runBatch(connection, [begin, insert, commit])),
        )
        assert.isTrue(isConnectionLost(error))
        const next = yield* Effect.flip(sql`SELECT 1`)
        assert.isTrue(isConnectionLost(next))
      }).pipe(Effect.scoped, Effect.provide(PgliteClient.layer({ dataDir })))
    }),
  )
})

describe("the protocol", () => {
  it.live("accepts messages in any chunks", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const { stream } = client.config
      if (stream === undefined) return assert.fail("PGlite is reached through a stream")
      // One byte at a time, in both directions of a connection made by hand.
      const connection = yield* PgConnection.make({
        username: "postgres",
        stream: () => byteByByte(stream()),
        multiplex: true,
      })
      for (let round = 0; round < 2; round++) {
        const results = yield* runBatch(connection, [
          begin,
          { sql: "SELECT $1::text AS word", params: ["whole"] },
          commit,
        ])
        assert.deepStrictEqual(results[1]?.rows, [{ word: "whole" }])
      }
    }).pipe(Effect.provide(PgliteClient.layer())),
  )
})

/** Cuts everything that is written into single bytes. */
const byteByByte = <Stream extends { write: (chunk: Uint8Array) => boolean }>(
  stream: Stream,
): Stream => {
  const write = stream.write.bind(stream)
  stream.write = (chunk) => {
    for (const byte of chunk) write(Uint8Array.of(byte))
    return true
  }
  return stream
}

/** What this process's calls of `fsync` do until the scope ends. */
const replaceFsync = (replacement: () => void) => {
  const { fsyncSync } = Fs
  const use = (fsync: typeof fsyncSync) =>
    Effect.sync(() => {
      Fs.fsyncSync = fsync
      syncBuiltinESMExports()
    })
  return Effect.acquireRelease(use(replacement), () => use(fsyncSync))
}
