import { PgPool } from "@effect/sql-pg"
import { OID } from "@effect/sql-pg/PgTypes"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { int8s } from "../../../src/internal/connection/parameters.ts"
import { lend, runBatch } from "../../../src/internal/connection/pipeline.ts"
import { makeQuery } from "../../../src/internal/connection/query.ts"
import { readText, textOf, withCasts } from "../../../src/internal/host/textFormat.ts"
import * as Columns from "../../../src/internal/rows/columns.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import { create, rowTable } from "../../../src/internal/rows/rowTable.ts"
import { run, server } from "../../fixtures/databases.ts"

describe("a parameter", () => {
  it.each([
    [null, null],
    [undefined, null],
    ["", ""],
    [String.raw`a "quoted" \ text`, String.raw`a "quoted" \ text`],
    [-5, "-5"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [true, "true"],
    [[], "{}"],
    [
      ["a", null, "NULL", "", "{b}", String.raw`c"\,d`],
      String.raw`{"a",NULL,"NULL","","{b}","c\"\\,d"}`,
    ],
    [int8s([]), "{}"],
    [int8s([1, null, -(2 ** 52)]), '{"1",NULL,"-4503599627370496"}'],
  ])("is written as text: %j", (value, expected) => {
    assert.strictEqual(textOf(value), expected)
  })

  it("is cast from text, wherever it stands", () => {
    const names = new Map<number, string>([
      [OID.text, "text"],
      [OID.int8, "int8"],
    ])
    const sql = withCasts(
      "SELECT $2::int8, $1, $11",
      ["a", 1, ...Array(8).fill("b"), 2],
      (oid) => names.get(oid) ?? "",
    )
    assert.strictEqual(sql, "SELECT ($2::text::int8)::int8, ($1::text::text), ($11::text::int8)")
  })
})

describe("rows", () => {
  const sample = rowTable("samples", [], {
    organization: Columns.text,
    note: Columns.orNull(Columns.text),
    count: Columns.int8,
    small: Columns.int4,
    flag: Columns.bool,
    bytes: Columns.bytea,
    numbers: Columns.int8s,
    json: Columns.jsonb((value: unknown) => value),
  })
  // PostgreSQL has no NUL.
  const texts = fc.oneof(
    fc.string({
      unit: fc.constantFrom('"', "\\", ",", "(", ")", "{", "}", "a", " ", "\n", "নম্বর"),
    }),
    fc.string({ unit: "binary" }).map((one) => one.replaceAll("\0", "")),
  )
  const rows = fc.array(
    fc.record({
      organization: texts,
      note: fc.option(texts),
      count: fc.maxSafeInteger(),
      small: fc.integer(),
      flag: fc.boolean(),
      bytes: fc.uint8Array(),
      numbers: fc.array(fc.maxSafeInteger()),
      json: fc.dictionary(texts, fc.oneof(texts, fc.integer(), fc.constant(null))),
    }),
    { maxLength: 5 },
  )

  it.live("are the same to the server in text and in binary", () =>
    Effect.gen(function* () {
      const pool = yield* PgPool.PgPool
      for (const statement of create("public", sample)) yield* run(statement)
      const arrays = yield* RowArrays.open("public", makeQuery(pool), [sample])
      const sql = "SELECT $1 = $2::text::public.samples_row[] AS same"
      const check = fc.asyncProperty(rows, async (found) => {
        const binary = arrays(sample, found)
        const params = [binary, textOf(binary)]
        const [answer] = await Effect.runPromise(
          lend(pool, (connection) => runBatch(connection, [{ sql, params }])),
        )
        assert.deepStrictEqual(answer?.rows, [{ same: true }])
      })
      yield* Effect.promise(() => fc.assert(check))
    }).pipe(Effect.provide(server())),
  )
})

describe("a column of a result", () => {
  it.each([
    [OID.text, null, null],
    [OID.bool, "t", true],
    [OID.bool, "f", false],
    [OID.int8, "-9007199254740991", Number.MIN_SAFE_INTEGER],
    [OID.int4, "7", 7],
    [OID.int8Array, "{}", []],
    [OID.int8Array, "{1,-2}", [1, -2]],
    [OID.jsonb, '{"a": [1]}', { a: [1] }],
    [OID.bytea, String.raw`\x00ff`, String.raw`\x00ff`],
    [OID.text, "{1}", "{1}"],
  ])("is read from text: %i %s", (oid, found, expected) => {
    assert.deepStrictEqual(readText(oid, found), expected)
  })
})
