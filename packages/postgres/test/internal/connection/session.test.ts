/** What a session does when the server has lost its statements, and when its connection ends. */
import { PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { assert, describe, layer, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { isConnectionLost, isStale } from "../../../src/internal/connection/failures.ts"
import { begin, lend, rollback, runBatch } from "../../../src/internal/connection/pipeline.ts"
import { makeQuery } from "../../../src/internal/connection/query.ts"
import {
  type Answers,
  sessionOf,
  type Statement,
} from "../../../src/internal/connection/session.ts"
import { databases, server } from "../../fixtures/databases.ts"

const one: Statement = { sql: "SELECT $1::int8 AS one", params: [1] }
const discard: Statement = { sql: "DISCARD ALL", prepare: false }

const onConnection = <A, E, R>(
  use: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>,
) => Effect.flatMap(PgPool.PgPool, (pool) => lend(pool, use))

/** The rows of the last of some statements. */
const rowsOf = (connection: PgConnection.PgConnection, ...statements: ReadonlyArray<Statement>) =>
  Effect.map(runBatch(connection, statements), (answers) => answers.at(-1)?.rows)

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`on ${database.name}`, (it) => {
    it.effect("prepares a statement once, and again after DISCARD ALL", () =>
      onConnection(
        Effect.fnUntraced(function* (connection) {
          const prepared = {
            sql: "SELECT count(*) AS count FROM pg_prepared_statements WHERE statement = $1",
          }
          const count = { ...prepared, prepare: false, params: [one.sql] }
          yield* rowsOf(connection, one, one)
          assert.deepStrictEqual(yield* rowsOf(connection, one, count), [{ count: 1n }])
          yield* rowsOf(connection, discard)
          assert.deepStrictEqual(yield* rowsOf(connection, count), [{ count: 0n }])
          assert.deepStrictEqual(yield* rowsOf(connection, one), [{ one: 1n }])
          assert.deepStrictEqual(yield* rowsOf(connection, count), [{ count: 1n }])
        }),
      ),
    )

    it.effect(
      "fails in a transaction that has lost a statement, and prepares it for the next",
      () =>
        onConnection(
          Effect.fnUntraced(function* (connection) {
            yield* rowsOf(connection, one)
            yield* rowsOf(connection, discard)
            yield* rowsOf(connection, begin)
            const error = yield* Effect.flip(rowsOf(connection, one))
            assert.isTrue(isStale(error))
            assert.isTrue(sessionOf(connection).isInTransaction)
            yield* rowsOf(connection, rollback)
            assert.isFalse(sessionOf(connection).isInTransaction)
            assert.deepStrictEqual(yield* rowsOf(connection, begin, one), [{ one: 1n }])
            yield* rowsOf(connection, rollback)
          }),
        ),
    )

    it.effect("describes the rows again after a change of their columns", () =>
      onConnection(
        Effect.fnUntraced(function* (connection) {
          const all: Statement = { sql: "SELECT * FROM changing" }
          yield* rowsOf(connection, { sql: "CREATE TABLE changing AS SELECT 1 AS first" }, all)
          yield* rowsOf(connection, { sql: "ALTER TABLE changing ADD second text DEFAULT 'two'" })
          assert.deepStrictEqual(yield* rowsOf(connection, all), [{ first: 1, second: "two" }])
        }),
      ),
    )

    it.effect("prepares a text again for values of other types", () =>
      onConnection(
        Effect.fnUntraced(function* (connection) {
          const echo = (value: string | number): Statement => ({
            sql: "SELECT $1 AS value",
            params: [value],
          })
          for (const [value, read] of [
            ["word", "word"],
            [7, 7n],
            ["again", "again"],
          ] as const) {
            assert.deepStrictEqual(yield* rowsOf(connection, echo(value)), [{ value: read }])
          }
        }),
      ),
    )

    it.effect("keeps 100 statements prepared, and closes the oldest", () =>
      onConnection(
        Effect.fnUntraced(function* (connection) {
          const numbered = Array.from({ length: 250 }, (_, index) => ({
            sql: `SELECT ${index} AS number`,
          }))
          yield* rowsOf(connection, ...numbered)
          const [first = one] = numbered
          assert.deepStrictEqual(yield* rowsOf(connection, first), [{ number: 0 }])
          const count =
            "SELECT count(*) AS count FROM pg_prepared_statements WHERE statement LIKE '% AS number'"
          assert.deepStrictEqual(yield* rowsOf(connection, { sql: count, prepare: false }), [
            { count: 100n },
          ])
        }),
      ),
    )
  })
}

describe("statements behind others that have no answer yet", () => {
  layer(server(), { excludeTestServices: true })((it) => {
    it.effect("have their own answers, and their own errors", () =>
      onConnection((connection) =>
        Effect.gen(function* () {
          const session = sessionOf(connection)
          const answers: Array<Answers> = []
          const last = yield* Effect.callback<Answers>((resume) => {
            session.run([one, { sql: "SELECT 1/0" }], (answer) => answers.push(answer))
            session.run([one, one], (answer) => answers.push(answer))
            session.run([{ ...one, params: [3] }], (answer) => resume(Effect.succeed(answer)))
          })
          const read = (answer: Answers | undefined) =>
            answer !== undefined && Exit.isSuccess(answer) && answer.value.map(({ rows }) => rows)
          assert.deepStrictEqual(answers.map(read), [false, [[{ one: 1n }], [{ one: 1n }]]])
          assert.deepStrictEqual(read(last), [[{ one: 3n }]])
        }),
      ),
    )

    it.effect("fail with it when the session is ended", () =>
      onConnection((connection) =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const slow = runBatch(connection, [{ sql: "SELECT pg_sleep(60)" }])
          const behind = runBatch(connection, [one])
          const fibers = yield* Effect.forEach([slow, behind], (run) =>
            Effect.forkChild(Effect.flip(run), { startImmediately: true }),
          )
          const sql = "SELECT pg_terminate_backend($1::int4)"
          const end = { sql, params: [connection.processId] }
          yield* lend(pool, (other) => runBatch(other, [end]))
          for (const fiber of fibers) assert.isTrue(isConnectionLost(yield* Fiber.join(fiber)))
          assert.isTrue(isConnectionLost(yield* Effect.flip(runBatch(connection, [one]))))
        }),
      ),
    )
  })
})

describe("an interrupted read", () => {
  layer(server({ maxBatchConnections: 1 }), { excludeTestServices: true })((it) => {
    it.effect("keeps its connection until the answer", () =>
      Effect.gen(function* () {
        const pool = yield* PgPool.PgPool
        const query = makeQuery(pool)
        const slow = yield* Effect.forkChild(query({ sql: "SELECT pg_sleep(0.3)" }), {
          startImmediately: true,
        })
        yield* Fiber.interrupt(slow)
        // The driver's own statements never meet the answers of a session.
        const { rows } = yield* pool.use((connection) => connection.query("SELECT 1 AS one"))
        assert.deepStrictEqual(rows, [{ one: 1 }])
      }),
    )

    it.effect("loses its connection if the answer takes longer than two seconds", () =>
      Effect.gen(function* () {
        const query = makeQuery(yield* PgPool.PgPool)
        vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true })
        yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
        const slow = yield* Effect.forkChild(query({ sql: "SELECT pg_sleep(60)" }), {
          startImmediately: true,
        })
        yield* Fiber.interrupt(slow)
        const next = yield* Effect.forkChild(query({ sql: "SELECT 1 AS one" }))
        vi.advanceTimersByTime(1_900)
        assert.isUndefined(next.pollUnsafe())
        vi.advanceTimersByTime(100)
        assert.deepStrictEqual(yield* Fiber.join(next), [{ one: 1 }])
      }),
    )
  })
})
