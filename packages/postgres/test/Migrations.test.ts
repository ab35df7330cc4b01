import { PgClient, PgPool } from "@effect/sql-pg"
import { assert, describe, inject, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import * as Migrations from "../src/Migrations.ts"
import * as PostgresClient from "../src/PostgresClient.ts"
import { databases, run } from "./fixtures/databases.ts"

const first: Migrations.Migration = {
  id: 1,
  name: "accounts",
  breaking: true,
  // Slow, so that nodes that start at once really meet; and it fails when it is run twice.
  statements: (schema) => [
    `CREATE TABLE ${schema}.account (id int PRIMARY KEY)`,
    `INSERT INTO ${schema}.account SELECT 1 FROM pg_sleep(0.05)`,
  ],
}

const second: Migrations.Migration = {
  id: 2,
  name: "balances",
  breaking: false,
  statements: (schema) => [`ALTER TABLE ${schema}.account ADD COLUMN balance int DEFAULT 0`],
}

const third: Migrations.Migration = {
  id: 3,
  name: "amounts",
  breaking: true,
  statements: (schema) => [`ALTER TABLE ${schema}.account RENAME COLUMN balance TO amount`],
}

const broken: Migrations.Migration = {
  id: 4,
  name: "broken",
  breaking: false,
  statements: (schema) => [
    `CREATE TABLE ${schema}.left_behind (id int)`,
    `ALTER TABLE ${schema}.missing ADD COLUMN x int`,
    `CREATE TABLE ${schema}.never (id int)`,
  ],
}

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`on ${database.name}`, (it) => {
    describe("Migrations.run", () => {
      it.effect("runs pending migrations in order, and nothing the second time", () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          assert.deepStrictEqual(yield* Migrations.run({ migrations: [first] }), [1])
          assert.deepStrictEqual(
            yield* Migrations.run({ migrations: [first, second, third] }),
            [2, 3],
          )
          assert.deepStrictEqual(yield* Migrations.run({ migrations: [first, second, third] }), [])
          assert.deepStrictEqual(yield* sql`SELECT id, amount FROM countersign.account`, [
            { id: 1, amount: 0 },
          ])
          const history = yield* sql`
            SELECT id, name, breaking, applied_at <= clock_timestamp() AS dated
            FROM countersign.migrations ORDER BY id`
          assert.deepStrictEqual(history, [
            { id: 1, name: "accounts", breaking: true, dated: true },
            { id: 2, name: "balances", breaking: false, dated: true },
            { id: 3, name: "amounts", breaking: true, dated: true },
          ])
        }),
      )

      it.effect("finds nothing to do after its script was run by hand", () =>
        Effect.gen(function* () {
          const pool = yield* PgPool.PgPool
          const options = { schema: "by 'hand\"", migrations: [first, second, third] }
          const byHand = (script: string) =>
            pool.use((connection) =>
              Effect.forEach(script.split(";\n").slice(0, -1), (sql) => connection.query(sql)),
            )
          const whole = yield* Migrations.script({ ...options, migrations: [first] })
          yield* byHand(whole)
          const rest = yield* Migrations.script(options, first.id)
          assert.notInclude(rest, "CREATE SCHEMA")
          yield* byHand(rest)
          yield* Migrations.check(options)
          assert.deepStrictEqual(yield* Migrations.run(options), [])
          const refused = yield* Effect.flip(Migrations.script({ ...options, schema: "pg_x" }))
          assert.strictEqual(refused.reason, "InvalidSchemaName")
        }),
      )

      it.effect("keeps schemas with any names separate", () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const names = ["tenant", 'o"; DROP SCHEMA tenant; --', "Ünïcode schema"]
          for (const schema of names) {
            assert.deepStrictEqual(yield* Migrations.run({ schema, migrations: [first] }), [1])
          }
          for (const schema of names) {
            assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(schema)}.account`, [{ id: 1 }])
          }
        }),
      )

      it.effect("rolls back a migration that fails, and keeps the earlier ones", () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const migrate = (migrations: ReadonlyArray<Migrations.Migration>) =>
            Migrations.run({ schema: "half", migrations })
          const error = yield* Effect.flip(migrate([first, broken]))
          assert.deepInclude(error, {
            reason: "MigrationFailed",
            schema: "half",
            migration: "4 broken",
          })
          assert.match(error.message, /relation "half.missing" does not exist/)
          const tables = yield* sql`
            SELECT table_name FROM information_schema.tables WHERE table_schema = 'half' ORDER BY 1`
          assert.deepStrictEqual(tables, [{ table_name: "account" }, { table_name: "migrations" }])
          // Once it is repaired it runs.
          assert.deepStrictEqual(yield* migrate([first, { ...broken, statements: () => [] }]), [4])
        }),
      )

      it.effect("rejects a database that a newer build has made incompatible", () =>
        Effect.gen(function* () {
          const migrate = (migrations: ReadonlyArray<Migrations.Migration>) =>
            Migrations.run({ schema: "newer", migrations })
          yield* migrate([first, second])
          // The second step is not breaking: a build that does not know it goes on working.
          assert.deepStrictEqual(yield* migrate([first]), [])
          yield* migrate([first, second, third])
          const error = yield* Effect.flip(migrate([first, second]))
          assert.deepInclude(error, { reason: "DatabaseTooNew", migration: "3 amounts" })
          assert.match(error.message, /newer version/)
        }),
      )

      it.effect("rejects an impossible name, and dies on ids that do not rise", () =>
        Effect.gen(function* () {
          const schema = "x".repeat(64)
          const error = yield* Effect.flip(Migrations.run({ schema, migrations: [] }))
          assert.strictEqual(error.reason, "InvalidSchemaName")
          const exit = yield* Effect.exit(Migrations.run({ migrations: [second, first] }))
          assert.isTrue(Exit.hasDies(exit))
        }),
      )
    })
  })
}

describe("nodes that start at once", () => {
  it.live("run each migration once between them", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase(inject("postgresUrl"))
      // A lock timeout far below the time that a node has to wait for its turn.
      const node = Migrations.run({ migrations: [first, second, third] }).pipe(
        Effect.provide(Layer.fresh(PostgresClient.layer({ url, lockTimeout: "1 millisecond" }))),
      )
      const ran = yield* Effect.forEach(Array.from({ length: 8 }), () => node, {
        concurrency: "unbounded",
      })
      assert.deepStrictEqual(ran.flat().toSorted(), [1, 2, 3])
    }),
  )

  it.live("need no right to create anything if no migration is pending", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase(inject("postgresUrl"))
      const migrate = Migrations.run({ migrations: [first] })
      const name = `service_${process.pid}`
      yield* Effect.andThen(
        migrate,
        Effect.forEach(
          [
            `CREATE ROLE ${name} LOGIN PASSWORD 'service'`,
            `GRANT USAGE ON SCHEMA countersign TO ${name}`,
            `GRANT SELECT ON ALL TABLES IN SCHEMA countersign TO ${name}`,
          ],
          run,
        ),
      ).pipe(Effect.provide(PostgresClient.layer({ url })))
      const asService = new URL(Redacted.value(url))
      asService.username = name
      asService.password = "service"
      const ran = yield* Effect.provide(
        migrate,
        PostgresClient.layer({ url: Redacted.make(asService.href) }),
      )
      assert.deepStrictEqual(ran, [])
    }),
  )
})
