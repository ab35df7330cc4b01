import { PgPool } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import * as Parameters from "../../../src/internal/connection/parameters.ts"
import * as Columns from "../../../src/internal/rows/columns.ts"
import { rowType } from "../../../src/internal/rows/rowTable.ts"
import { databases } from "../../fixtures/databases.ts"

interface Row {
  readonly text: string | null
  readonly aNumber: number | null
  readonly list: ReadonlyArray<number>
  readonly bytes: Uint8Array
  readonly flag: boolean
  readonly json: FastCheck.JsonValue
}

/** What callers without types may hand over. */
const parsed = (json: string) => JSON.parse(json)

const sample = rowType<Row>({
  text: Columns.orNull(Columns.text),
  aNumber: Columns.orNull(Columns.int8),
  list: Columns.int8s,
  bytes: Columns.bytea,
  flag: Columns.bool,
  json: Columns.jsonb(
    (json) => json,
    (json) => parsed(JSON.stringify(json)),
  ),
})

// What makes trouble in array and row literals, and any other text. NUL has no place in PostgreSQL.
const text = FastCheck.oneof(
  FastCheck.string({
    unit: FastCheck.constantFrom('"', "\\", ",", "{", "}", "(", ")", " ", "a", "'"),
  }),
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.constantFrom("", "NULL", "null", "\n\t\r", "আপনার কোড"),
).map((value) => value.replaceAll("\u0000", ""))

const row: FastCheck.Arbitrary<Row> = FastCheck.record({
  text: FastCheck.option(text),
  aNumber: FastCheck.option(FastCheck.maxSafeInteger()),
  list: FastCheck.array(FastCheck.maxSafeInteger(), { maxLength: 4 }),
  bytes: FastCheck.uint8Array({ maxLength: 40 }),
  flag: FastCheck.boolean(),
  json: FastCheck.array(FastCheck.tuple(text, FastCheck.integer()), { maxLength: 3 }),
})

it("a value that is not of its column's type throws", () => {
  for (const json of ["7", "true", "{}", "[]"]) {
    assert.throws(() => Columns.text.encode(parsed(json)), TypeError, "text column")
  }
  for (const json of ["0.5", "1152921504606846976", '"1"', '"1)\\",\\"(2"', "{}", "[1]", "true"]) {
    assert.throws(() => Columns.int8.encode(parsed(json)), TypeError, "integer column")
  }
  assert.throws(() => Columns.int8.encode(Number.NaN), TypeError, "integer column")
  const channel = Columns.oneOf("sms", "whatsapp")
  assert.throws(() => channel.encode(parsed('"fax"')), TypeError, "sms")
  assert.throws(() => Columns.bool.encode(parsed('"yes"')), TypeError, "boolean column")
  assert.strictEqual(channel.encode("sms"), Columns.text.encode("sms"))
})

/** A row as it was read, with bytes of the kind that fast-check makes. */
const plain = (read: Columns.Row): Row => {
  const found = sample.decode(read)
  return { ...found, bytes: Uint8Array.from(found.bytes) }
}

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(
    `rows as text, on ${database.name}`,
    (it) => {
      it.effect("law: every row arrives as it was sent, with any text", () =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const run = Effect.runPromiseWith(yield* Effect.context<never>())
          yield* pool.use((connection) =>
            connection.query(
              `CREATE TYPE sample_row AS (${sample.columns.map(({ name, type }) => `${name} ${type}`).join(", ")})`,
            ),
          )
          yield* Effect.promise(() =>
            FastCheck.assert(
              FastCheck.asyncProperty(
                FastCheck.array(row, { minLength: 1, maxLength: 5 }),
                async (rows) => {
                  const found = await run(
                    pool.use((connection) =>
                      connection.query(
                        "SELECT given.*, to_json(given) AS whole FROM unnest($1::text::sample_row[]) AS given",
                        [Parameters.text(sample.encode(rows))],
                      ),
                    ),
                  )
                  const sent = rows.map((one) => ({
                    ...one,
                    json: parsed(JSON.stringify(one.json)),
                  }))
                  assert.deepStrictEqual(found.rows.map(plain), sent)
                  assert.deepStrictEqual(
                    found.rows.map(({ whole }) => plain(parsed(JSON.stringify(whole)))),
                    sent,
                  )
                },
              ),
              { numRuns: 200 },
            ),
          )
        }),
      )
    },
  )
}
