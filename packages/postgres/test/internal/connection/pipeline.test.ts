import { PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { assert, describe, inject, it, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"
import { Duplex } from "node:stream"
import { isConnectionLost, sqlState } from "../../../src/internal/connection/failures.ts"
import { freshDatabase } from "../../../../../test/support/freshDatabase.ts"
import {
  begin,
  commit,
  lend,
  runBatch,
  type Statement,
} from "../../../src/internal/connection/pipeline.ts"
import { databases, server } from "../../fixtures/databases.ts"

const table: Statement = { sql: "CREATE TABLE IF NOT EXISTS pair (id int8 PRIMARY KEY, word text)" }
const empty: Statement = { sql: "TRUNCATE pair" }
const insert = (id: number): Statement => ({
  sql: "INSERT INTO pair VALUES ($1::int8, 'word')",
  params: [id],
})

/** A pool, and an empty table that the tests of a suite share. */
const prepared = Effect.gen(function* () {
  const pool = yield* PgPool.PgPool
  yield* lend(pool, (connection) => runBatch(connection, [table, empty]))
  return pool
})

const ids = (pool: PgPool.PgPool) =>
  pool.use((connection) =>
    Effect.map(connection.queryValues("SELECT id::int FROM pair ORDER BY id"), (rows) =>
      rows.flat(),
    ),
  )

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`on ${database.name}`, (it) => {
    describe("runBatch", () => {
      it.effect("returns the results in the order of the statements", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const results = yield* lend(pool, (connection) =>
            runBatch(connection, [begin, insert(1), { sql: "SELECT id FROM pair" }, commit]),
          )
          assert.deepStrictEqual(
            results.map(({ command, rows }) => [command, rows]),
            [
              ["BEGIN", []],
              ["INSERT", []],
              ["SELECT", [{ id: 1n }]],
              ["COMMIT", []],
            ],
          )
        }),
      )

      it.effect("keeps the order of more statements than fit on the wire", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const numbers = Array.from({ length: 300 }, (_, index) => index)
          const results = yield* lend(pool, (connection) =>
            runBatch(
              connection,
              numbers.map((number) => ({ sql: "SELECT $1::int4 AS number", params: [number] })),
            ),
          )
          assert.deepStrictEqual(
            results.map(({ rows }) => rows[0]?.["number"]),
            numbers,
          )
        }),
      )

      it.effect("fails with the first error and leaves nothing behind", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const error = yield* Effect.flip(
            lend(pool, (connection) =>
              runBatch(connection, [begin, insert(1), insert(1), insert(2), commit]),
            ),
          )
          assert.strictEqual(error.reason._tag, "UniqueViolation")
          assert.strictEqual(sqlState(error), "23505")
          assert.deepStrictEqual(yield* ids(pool), [])
        }),
      )

      it.effect("fails if COMMIT ends a transaction that failed in an earlier batch", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const error = yield* Effect.flip(
            lend(pool, (connection) =>
              Effect.gen(function* () {
                yield* runBatch(connection, [begin, insert(1)])
                yield* Effect.ignore(runBatch(connection, [insert(1)]))
                yield* runBatch(connection, [commit])
              }),
            ),
          )
          assert.match(String(error.reason.message), /rolled back/)
        }),
      )

      it.effect("sends nothing if a value cannot be encoded", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const error = yield* Effect.flip(
            lend(pool, (connection) =>
              runBatch(connection, [
                insert(1),
                begin,
                insert(2),
                insert(2 ** 64),
                insert(3),
                commit,
              ]),
            ),
          )
          assert.match(String(error.reason.message), /encode/)
          // Not even the first statement, which is outside of the transaction.
          assert.deepStrictEqual(yield* ids(pool), [])
          // And the names that were prepared for the statements withdrawn can be used.
          yield* lend(pool, (connection) => runBatch(connection, [begin, insert(4), commit]))
          assert.deepStrictEqual(yield* ids(pool), [4])
        }),
      )
    })

    describe("lend", () => {
      it.effect("rolls back what a failed borrower has left open", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const outcome = yield* lend(pool, (connection) =>
            Effect.andThen(runBatch(connection, [begin, insert(1)]), Effect.fail("no")),
          ).pipe(Effect.flip)
          assert.strictEqual(outcome, "no")
          assert.deepStrictEqual(yield* ids(pool), [])
        }),
      )

      it.effect("closes a connection whose borrower was interrupted or died", () =>
        Effect.gen(function* () {
          const pool = yield* prepared
          const opened = yield* Deferred.make<void>()
          const stuck = yield* Effect.forkChild(
            lend(pool, (connection) =>
              runBatch(connection, [begin, insert(1)]).pipe(
                Effect.andThen(Deferred.succeed(opened, undefined)),
                Effect.andThen(Effect.never),
              ),
            ),
          )
          yield* Deferred.await(opened)
          yield* Fiber.interrupt(stuck)
          yield* Effect.exit(
            lend(pool, (connection) =>
              Effect.andThen(runBatch(connection, [begin, insert(2)]), Effect.die("bug")),
            ),
          )
          assert.deepStrictEqual(yield* ids(pool), [])
        }),
      )
    })
  })
}

/** A pool that counts the client's writes. */
const counted = Effect.gen(function* () {
  const url = new URL(Redacted.value(yield* freshDatabase(inject("postgresUrl"))))
  const writes: Array<number> = []
  const stream = (): Duplex => {
    const socket = Net.connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    const counter = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        writes.push(chunk.length)
        socket.write(chunk, done)
      },
      destroy: (error, done) => {
        socket.destroy()
        done(error)
      },
    })
    socket.on("data", (chunk) => counter.push(chunk))
    // The database is dropped under open connections when the test is over.
    socket.on("error", () => counter.destroy())
    socket.on("close", () => counter.destroy())
    return counter
  }
  const pool = yield* PgPool.make({
    url: Redacted.make(url.href),
    stream,
    multiplex: true,
    multiplexConcurrency: 1,
    maxConnections: 2,
  })
  return { pool, writes }
})

describe("on the wire", () => {
  it.live("a batch is one write, also the first time", () =>
    Effect.gen(function* () {
      const { pool, writes } = yield* counted
      yield* lend(pool, (connection) =>
        Effect.gen(function* () {
          for (let round = 0; round < 3; round++) {
            writes.length = 0
            yield* runBatch(connection, [begin, { sql: "SELECT 1" }, { sql: "SELECT 2" }, commit])
            assert.strictEqual(writes.length, 1)
          }
        }),
      )
    }),
  )

  it.live("a connection is lent to one borrower at a time", () =>
    Effect.gen(function* () {
      const { pool } = yield* counted
      const lent = new Set<number>()
      const bothLent = yield* Deferred.make<void>()
      yield* Effect.forEach(
        Array.from({ length: 20 }),
        () =>
          lend(pool, (connection) =>
            Effect.gen(function* () {
              assert.isFalse(lent.has(connection.processId))
              lent.add(connection.processId)
              // The first waits for the second. Otherwise it might have served all borrowers by then.
              if (lent.size === 2) yield* Deferred.succeed(bothLent, undefined)
              yield* Deferred.await(bothLent)
              yield* runBatch(connection, [begin, commit])
              lent.delete(connection.processId)
            }),
          ),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(lent.size, 0)
    }),
  )
})

const terminate = (connection: PgConnection.PgConnection, processId: number) =>
  connection.query("SELECT pg_terminate_backend($1, 5000)", [processId])

layer(server({ maxBatchConnections: 2 }), { excludeTestServices: true })(
  "isConnectionLost",
  (it) => {
    it.effect("is true for a session that ended between two statements", () =>
      Effect.gen(function* () {
        const pool = yield* prepared
        const error = yield* Effect.flip(
          lend(pool, (victim) =>
            Effect.gen(function* () {
              yield* runBatch(victim, [begin, insert(1)])
              yield* pool.use((other) => terminate(other, victim.processId))
              yield* runBatch(victim, [insert(2), commit])
            }),
          ),
        )
        assert.isTrue(isConnectionLost(error))
        // The pool has replaced the connection, and the transaction is gone.
        assert.deepStrictEqual(yield* ids(pool), [])
      }),
    )

    it.effect("is true for a session that ended during a statement", () =>
      Effect.gen(function* () {
        const pool = yield* prepared
        const victimId = yield* Deferred.make<number>()
        const sleeping = yield* Effect.forkChild(
          Effect.flip(
            lend(pool, (victim) =>
              Effect.andThen(
                Deferred.succeed(victimId, victim.processId),
                runBatch(victim, [begin, { sql: "SELECT pg_sleep(60)" }, commit]),
              ),
            ),
          ),
        )
        const processId = yield* Deferred.await(victimId)
        yield* pool.use((other) => terminate(other, processId))
        assert.isTrue(isConnectionLost(yield* Fiber.join(sleeping)))
      }),
    )

    it.effect("is false for an error of the server", () =>
      Effect.gen(function* () {
        const pool = yield* prepared
        for (const sql of ["SELECT 1/0", "SELEC 1", "SELECT * FROM missing"]) {
          const error = yield* Effect.flip(
            lend(pool, (connection) => runBatch(connection, [{ sql }])),
          )
          assert.isFalse(isConnectionLost(error), sql)
          assert.match(String(sqlState(error)), /^[0-9A-Z]{5}$/)
        }
      }),
    )
  },
)

describe("a failed batch", () => {
  it.live("is read to its end, so that the connection is free", () =>
    Effect.gen(function* () {
      const { pool } = yield* counted
      const exit = yield* Effect.exit(
        lend(pool, (connection) =>
          runBatch(connection, [{ sql: "SELECT 1/0" }, { sql: "SELECT pg_sleep(0.05)" }]).pipe(
            Effect.ensuring(
              Effect.map(connection.query("SELECT 1 AS one"), ({ rows }) =>
                assert.deepStrictEqual(rows, [{ one: 1 }]),
              ).pipe(Effect.orDie),
            ),
          ),
        ),
      )
      assert.isTrue(Exit.hasFails(exit))
    }),
  )
})
