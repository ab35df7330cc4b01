import { PgPool } from "@effect/sql-pg"
import type { PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  boolArray,
  byteaArray,
  int4Array,
  int8Array,
  textArray,
} from "../../../src/internal/rows/parameters.ts"
import { databases } from "../../fixtures/databases.ts"

const bytes = new Uint8Array([0, 1, 255])
const largest = 2n ** 63n - 1n

interface Row {
  readonly type: string
  readonly sent: (values: ReadonlyArray<null>) => PgTypes.Parameter
  readonly mixed: PgTypes.Parameter
  readonly received: ReadonlyArray<unknown>
}

const rows: ReadonlyArray<Row> = [
  { type: "bool", sent: boolArray, mixed: boolArray([true, null]), received: [true, null] },
  { type: "bytea", sent: byteaArray, mixed: byteaArray([bytes, null]), received: [bytes, null] },
  { type: "int4", sent: int4Array, mixed: int4Array([-1, null]), received: [-1, null] },
  { type: "int8", sent: int8Array, mixed: int8Array([largest, null]), received: [largest, null] },
  {
    type: "text",
    sent: textArray,
    mixed: textArray(["", '{,"}', null]),
    received: ["", '{,"}', null],
  },
]

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`on ${database.name}`, (it) => {
    for (const { type, sent, mixed, received } of rows) {
      it.effect(`${type}[] arrives element by element, empty and all null as well`, () =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const unnested = (parameter: PgTypes.Parameter) =>
            pool.use((connection) =>
              Effect.map(
                connection.queryValues(`SELECT * FROM unnest($1::${type}[])`, [parameter]),
                (answer) => answer.flat(),
              ),
            )
          assert.deepStrictEqual(yield* unnested(mixed), received)
          assert.deepStrictEqual(yield* unnested(sent([])), [])
          assert.deepStrictEqual(yield* unnested(sent([null, null])), [null, null])
          // All three were the same statement to the server.
          const [counted] = yield* pool.use((connection) =>
            connection.queryValues(
              "SELECT count(*)::int FROM pg_prepared_statements WHERE statement LIKE $1",
              [`SELECT * FROM unnest($1::${type}[])`],
            ),
          )
          assert.deepStrictEqual(counted, [1])
        }),
      )
    }
  })
}
