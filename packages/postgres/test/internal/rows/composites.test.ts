import { PgPool } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import * as Columns from "../../../src/internal/rows/columns.ts"
import * as Composites from "../../../src/internal/rows/composites.ts"
import { databases } from "../../fixtures/databases.ts"

interface Row {
  readonly text: string | null
  readonly number: number | null
  readonly list: ReadonlyArray<number>
  readonly bytes: Uint8Array
  readonly json: FastCheck.JsonValue
}

const fields = (row: Row) => [
  Composites.text(row.text),
  Composites.integer(row.number),
  Composites.integers(row.list),
  Composites.bytes(row.bytes),
  Composites.text(JSON.stringify(row.json)),
]

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
  number: FastCheck.option(FastCheck.maxSafeInteger()),
  list: FastCheck.array(FastCheck.maxSafeInteger(), { maxLength: 4 }),
  bytes: FastCheck.uint8Array({ maxLength: 40 }),
  json: FastCheck.array(FastCheck.tuple(text, FastCheck.integer()), { maxLength: 3 }),
})

/** What callers without types may hand over. */
const parsed = (json: string) => JSON.parse(json)

it("a value that is not of its column's type throws", () => {
  for (const json of ["7", "true", "{}", "[]"]) {
    assert.throws(() => Composites.text(parsed(json)), TypeError, "text column")
  }
  for (const json of ["0.5", "1152921504606846976", '"1"', '"1)\\",\\"(2"', "{}", "[1]", "true"]) {
    assert.throws(() => Composites.integer(parsed(json)), TypeError, "integer column")
  }
  assert.throws(() => Composites.integer(Number.NaN), TypeError, "integer column")
  assert.throws(() => Composites.oneOf(parsed('"fax"'), ["sms", "whatsapp"]), TypeError, "sms")
  assert.strictEqual(Composites.oneOf("sms", ["sms", "whatsapp"]), Composites.text("sms"))
})

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(
    `rows as text, on ${database.name}`,
    (it) => {
      it.effect("law: what arrives is what was sent, whatever is in the texts", () =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const run = Effect.runPromiseWith(yield* Effect.context<never>())
          yield* pool.use((connection) =>
            connection.query(
              "CREATE TYPE sample_row AS (text text, number int8, list int8[], bytes bytea, json jsonb)",
            ),
          )
          yield* Effect.promise(() =>
            FastCheck.assert(
              FastCheck.asyncProperty(
                FastCheck.array(row, { minLength: 1, maxLength: 5 }),
                async (rows) => {
                  const found = await run(
                    pool.use((connection) =>
                      connection.query("SELECT * FROM unnest($1::text::sample_row[])", [
                        Columns.text(Composites.array(rows, fields)),
                      ]),
                    ),
                  )
                  assert.deepStrictEqual(
                    found.rows.map((got) => ({
                      text: Columns.textOrNull(got, "text"),
                      number: Columns.numberOrNull(got, "number"),
                      list: Columns.numbersOf(got, "list"),
                      bytes: Uint8Array.from(Columns.bytesOf(got, "bytes")),
                      json: got["json"],
                    })),
                    rows.map((sent) => ({ ...sent, json: JSON.parse(JSON.stringify(sent.json)) })),
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
