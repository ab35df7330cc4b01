import { PgPool } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Parameters from "../../../src/internal/connection/parameters.ts"
import { lend, runBatch } from "../../../src/internal/connection/pipeline.ts"
import { databases } from "../../fixtures/databases.ts"

const nulls = [null, null]
const rows = [
  {
    type: "int8",
    mixed: Parameters.int8s([1, Number.MAX_SAFE_INTEGER, null]),
    received: [1n, BigInt(Number.MAX_SAFE_INTEGER), null],
    others: [Parameters.int8s([]), Parameters.int8s(nulls)],
  },
  {
    type: "text",
    mixed: ["", '{,"}', null],
    received: ["", '{,"}', null],
    others: [[], nulls],
  },
]

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`on ${database.name}`, (it) => {
    for (const { type, mixed, received, others } of rows) {
      it.effect(`${type}[] arrives element by element, also empty and with nulls only`, () =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const sql = `SELECT one FROM unnest($1::${type}[]) AS one`
          const unnested = (parameter: Parameters.Value) =>
            lend(pool, (connection) =>
              Effect.map(runBatch(connection, [{ sql, params: [parameter] }]), ([answer]) =>
                answer?.rows.map(({ one }) => one),
              ),
            )
          assert.deepStrictEqual(yield* unnested(mixed), received)
          assert.deepStrictEqual(yield* Effect.forEach(others, unnested), [[], nulls])
          // All three were the same statement to the server.
          const [counted] = yield* pool.use((connection) =>
            connection.queryValues(
              "SELECT count(*)::int FROM pg_prepared_statements WHERE statement LIKE $1",
              [sql],
            ),
          )
          assert.deepStrictEqual(counted, [1])
        }),
      )
    }
  })
}
