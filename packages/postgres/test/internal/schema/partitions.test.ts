import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import { assert, layer } from "@effect/vitest"
import * as Samples from "@countersign/testing/Samples"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AllTables from "../../../src/internal/rows/allTables.ts"
import * as Migrations from "../../../src/Migrations.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { run, server, storeLayer } from "../../fixtures/databases.ts"
import { nextMigration } from "../../fixtures/nextMigration.ts"

/** Starts a node on a separate schema. */
const start = (schema: string, partitions: number | undefined) =>
  Effect.map(Layer.build(storeLayer({ schema, partitions })), (context) =>
    Context.get(context, Store),
  )

const partitionsOf = (schema: string) =>
  Effect.map(
    run(`SELECT p.relname, count(*)::int4, max(array_to_string(c.reloptions, ','))
      FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_namespace n ON n.oid = p.relnamespace
      WHERE n.nspname = '${schema}' AND p.relkind = 'p' GROUP BY 1 ORDER BY 1`),
    (rows) => rows.map((row) => Object.values(row).map(String)),
  )

const id = OrganizationId("a")

const create = (store: Store["Service"]) => store.createOrganization(Samples.organization({ id }))

layer(server(), { excludeTestServices: true })("partitions", (it) => {
  it.effect("split every table with an organization but the outbox, and keep its settings", () =>
    Effect.gen(function* () {
      yield* start("split", 4)
      const split = yield* partitionsOf("split")
      assert.deepStrictEqual(
        split.map(([table, count]) => `${table} ${count}`),
        [
          ...AllTables.initial.map(({ name }) => name),
          "lanes",
          "opt_outs",
          "batches",
          "batch_totals",
          "webhook_attempts",
          "alerts",
        ]
          .toSorted()
          .map((name) => `${name} 4`),
      )
      assert.strictEqual(split[0]?.[2], "fillfactor=25")
    }),
  )

  it.effect("are made once, by the first of two nodes, and do not change", () =>
    Effect.gen(function* () {
      const both = [start("twice", 2), start("twice", 2)]
      const [store] = yield* Effect.all(both, { concurrency: 2 })
      const before = yield* partitionsOf("twice")
      assert.isNotEmpty(before)
      for (const [table, count] of before) assert.strictEqual(Number(count), 2, table)
      if (store !== undefined) yield* create(store)
      yield* start("twice", 8)
      yield* start("twice", undefined)
      assert.deepStrictEqual(yield* partitionsOf("twice"), before)
    }),
  )

  it.effect("are added to the tables of a later build, with their rows", () =>
    Effect.gen(function* () {
      const schema = "later"
      yield* start(schema, 4)
      yield* Migrations.run({ schema, migrations: [...PostgresStore.migrations, nextMigration] })
      yield* run("INSERT INTO later.later VALUES ('a', 7)")
      const store = yield* start(schema, 8)
      yield* create(store)
      const split = yield* partitionsOf(schema)
      assert.includeMembers(
        split.map((row) => row.join(" ")),
        ["accounts 4 fillfactor=25", "later 8 fillfactor=60"],
      )
      assert.deepStrictEqual(yield* run("SELECT * FROM later.later"), [
        { organization: "a", amount: 7n },
      ])
      assert.strictEqual((yield* store.account(id))?.organization, "a")
    }),
  )

  it.effect("are rejected for tables that have rows", () =>
    Effect.gen(function* () {
      yield* create(yield* start("used", undefined))
      const error = yield* Effect.flip(start("used", 4))
      assert.strictEqual(error._tag === "MigrationError" ? error.reason : error._tag, "NotEmpty")
      assert.deepStrictEqual(yield* partitionsOf("used"), [])
      // And nothing is left locked or half done.
      const store = yield* start("used", undefined)
      assert.strictEqual((yield* store.account(id))?.organization, "a")
    }),
  )

  it.effect("number between 2 and 1,024", () =>
    Effect.gen(function* () {
      for (const count of [0, 1, 1_025, 2.5, Number.NaN]) {
        const error = yield* Effect.flip(start(`count_${String(count).replace(".", "_")}`, count))
        assert.strictEqual(error._tag, "MigrationError")
      }
    }),
  )
})
