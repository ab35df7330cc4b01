import { PgPool } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FastCheck from "fast-check"
import * as Columns from "../../../src/internal/rows/columns.ts"
import { Bytes } from "../../../src/internal/rows/bytes.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import { rowTable } from "../../../src/internal/rows/rowTable.ts"
import * as AllTables from "../../../src/internal/rows/allTables.ts"
import * as Tables from "../../../src/internal/rows/tables.ts"
import { makeQuery } from "../../../src/internal/connection/query.ts"
import { databases, storeLayer } from "../../fixtures/databases.ts"

interface Row {
  readonly text: string | null
  readonly word: string
  readonly aNumber: number | null
  readonly small: number
  readonly kind: "sms" | "whatsapp"
  readonly list: ReadonlyArray<number>
  readonly rare: ReadonlyArray<number>
  readonly bytes: Uint8Array
  readonly flag: boolean
  readonly json: FastCheck.JsonValue
}

/** Sends rows to the database, which returns them in columns and as JSON. */
class Arrived extends Context.Service<
  Arrived,
  (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Columns.Row>, StoreUnavailable>
>()("Arrived") {}

/** What callers without types may hand over. */
const parsed = (json: string) => JSON.parse(json)

const sample = rowTable<Row>("sample", [], {
  text: Columns.orNull(Columns.text),
  word: Columns.text,
  aNumber: Columns.orNull(Columns.int8),
  small: Columns.int4,
  kind: Columns.oneOf("sms", "whatsapp"),
  list: Columns.int8s,
  rare: Columns.nullForNone(Columns.int8s),
  bytes: Columns.bytea,
  flag: Columns.bool,
  json: Columns.jsonb((json) => parsed(JSON.stringify(json))),
})

// Text of any length in any script. NUL has no place in PostgreSQL.
const text = FastCheck.oneof(
  FastCheck.string({
    unit: FastCheck.constantFrom('"', "\\", ",", "{", "}", "(", ")", " ", "a", "'"),
  }),
  FastCheck.string({ unit: "grapheme" }),
  // Long enough that the buffer grows.
  FastCheck.string({ unit: "grapheme", minLength: 200, maxLength: 300 }).map((part) =>
    part.repeat(200),
  ),
  FastCheck.constantFrom("", "NULL", "null", "\n\t\r", "আপনার কোড"),
).map((value) => value.replaceAll("\u0000", ""))

const row: FastCheck.Arbitrary<Row> = FastCheck.record({
  text: FastCheck.option(text),
  word: text,
  aNumber: FastCheck.option(FastCheck.maxSafeInteger()),
  small: FastCheck.integer(),
  kind: FastCheck.constantFrom("sms", "whatsapp"),
  rare: FastCheck.array(FastCheck.maxSafeInteger(), { maxLength: 2 }),
  list: FastCheck.array(FastCheck.maxSafeInteger(), { maxLength: 4 }),
  bytes: FastCheck.uint8Array({ maxLength: 40 }),
  flag: FastCheck.boolean(),
  json: FastCheck.array(FastCheck.tuple(text, FastCheck.integer()), { maxLength: 3 }),
})

const written = <A>(column: Columns.Column<A>, value: A): string => {
  const bytes = new Bytes()
  column.write(bytes, value)
  return Buffer.from(bytes.copy()).toString("hex")
}

it("a value that is not of its column's type throws", () => {
  for (const json of ["7", "true", "{}", "[]", "null"]) {
    assert.throws(() => written(Columns.text, parsed(json)), TypeError, "Expected text")
    assert.throws(() => written(Columns.bytea, parsed(json)), TypeError, "Expected bytes")
  }
  for (const json of ["0.5", "1152921504606846976", '"1"', "{}", "[1]", "true"]) {
    assert.throws(() => written(Columns.int8, parsed(json)), TypeError, "Expected an integer")
    assert.throws(() => written(Columns.int4, parsed(json)), TypeError, "Expected an integer")
    assert.throws(() => written(Columns.int8s, [parsed(json)]), TypeError, "integers")
  }
  for (const value of [2 ** 31, -(2 ** 31) - 1]) {
    assert.throws(() => written(Columns.int4, value), TypeError, "four bytes")
  }
  assert.throws(() => written(Columns.int8, Number.NaN), TypeError, "Expected an integer")
  const channel = Columns.oneOf("sms", "whatsapp")
  assert.throws(() => written(channel, parsed('"fax"')), TypeError, "sms")
  assert.throws(() => written(Columns.bool, parsed('"yes"')), TypeError, "Expected a boolean")
  const json = Columns.jsonb(() => undefined)
  assert.throws(() => written(json, undefined), TypeError, "Expected JSON")
  assert.throws(() => written(Tables.recipients.fields.phoneNumber, parsed('"017"')))
  assert.strictEqual(written(channel, "sms"), written(Columns.text, "sms"))
})

it("rows after a value that was refused are whole", () => {
  const arrays = RowArrays.make(() => ({ oid: 1, arrayOid: 2 }))
  const table = rowTable<{ id: string }>("t", [], { id: Columns.text })
  const sent = arrays(table, [{ id: "a" }])
  assert.throws(() => arrays(table, [{ id: "b" }, { id: parsed("7") }]), TypeError, "Expected text")
  assert.deepStrictEqual(arrays(table, [{ id: "a" }]), sent)
})

/** A row as it was read, with bytes of the kind that fast-check makes. */
const plain = (read: Columns.Row): Row => {
  const found = sample.decode(read)
  return { ...found, bytes: Uint8Array.from(found.bytes) }
}

const whole: Row = {
  text: "",
  word: "\u{1F600} আ NULL",
  aNumber: Number.MAX_SAFE_INTEGER,
  small: 2 ** 31 - 1,
  kind: "whatsapp",
  list: [-1, 0, 2 ** 32, -(2 ** 32) - 1, -Number.MAX_SAFE_INTEGER],
  rare: [7],
  bytes: Uint8Array.of(0, 255),
  flag: true,
  json: { a: [null, "\\"] },
}
const edges: ReadonlyArray<Row> = [
  whole,
  { ...whole, text: null, aNumber: null, rare: [], list: [], bytes: new Uint8Array() },
  { ...whole, small: -(2 ** 31), kind: "sms", flag: false, word: "a".repeat(100_000) },
]

const create = `CREATE TYPE countersign.sample_row AS (${sample.columns
  .map(({ name, type }) => `${name} ${type}`)
  .join(", ")})`

for (const database of databases) {
  const arrived = Layer.effect(
    Arrived,
    Effect.gen(function* () {
      const query = makeQuery(yield* PgPool.PgPool)
      yield* query({ sql: create })
      const arrays = yield* RowArrays.open("countersign", query, [sample])
      return (rows) =>
        query({
          sql: "SELECT given.*, to_json(given) AS whole FROM unnest($1::countersign.sample_row[]) AS given",
          params: [arrays(sample, rows)],
        })
    }),
  )
  const store = Layer.provideMerge(Layer.provideMerge(arrived, storeLayer()), database.layer)
  layer(store, { excludeTestServices: true })(`rows in binary, on ${database.name}`, (it) => {
    const check = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
      const found = yield* (yield* Arrived)(rows)
      const sent = rows.map((one) => ({ ...one, json: parsed(JSON.stringify(one.json)) }))
      assert.deepStrictEqual(found.map(plain), sent)
      assert.deepStrictEqual(
        found.map(({ whole }) => plain(parsed(JSON.stringify(whole)))),
        sent,
      )
    })

    it.effect("law: every row arrives as it was sent, with any text", () =>
      Effect.gen(function* () {
        const run = Effect.runPromiseWith(yield* Effect.context<Arrived>())
        yield* Effect.promise(() =>
          FastCheck.assert(
            FastCheck.asyncProperty(FastCheck.array(row, { minLength: 1, maxLength: 5 }), (rows) =>
              run(check(rows)),
            ),
            { numRuns: 200 },
          ),
        )
      }),
    )

    it.effect("the least and the largest values arrive", () => check(edges))

    it.effect.each(AllTables.all.map((table) => [table.name, table] as const))(
      "the composite type of %s has the columns that are sent",
      ([, { columns, type }]) =>
        Effect.gen(function* () {
          const query = makeQuery(yield* PgPool.PgPool)
          const found = yield* query({
            sql: `SELECT a.attname::text AS name, a.atttypid::int8 AS oid FROM pg_attribute a
              JOIN pg_class c ON c.oid = a.attrelid WHERE c.relname = $1 ORDER BY a.attnum`,
            params: [type],
          })
          assert.deepStrictEqual(
            found.map(({ name, oid }) => ({ name, oid: Number(oid) })),
            columns.map(({ name, oid }) => ({ name, oid })),
          )
        }),
    )
  })
}
