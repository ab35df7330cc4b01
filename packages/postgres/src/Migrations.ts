/**
 * Brings the tables of a schema to the version that this build expects.
 *
 * Several nodes may start at once. Each migration runs once, in a transaction of its own, under an advisory
 * lock. The `migrations` table of the schema records the migrations that have run.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { begin, commit, lend, runBatch, unprepared } from "./internal/connection/pipeline.ts"
import {
  type AppliedMigration,
  isOrdered,
  isSchemaName,
  type Migration,
  MigrationError,
  plan,
  quoteIdentifier,
} from "./internal/schema/migrate.ts"

export { type Migration, MigrationError } from "./internal/schema/migrate.ts"

/** Selects a schema and the migrations for it. */
export interface Options {
  /** The schema that holds the tables. It is created if it does not exist. @defaultValue `countersign` */
  readonly schema?: string | undefined
  readonly migrations: ReadonlyArray<Migration>
}

/** The schema that holds the tables by default. */
export const defaultSchema = "countersign"

/** Runs the pending migrations. Returns the ids of those that this call has run. */
export const run = Effect.fn("Migrations.run")(function* (
  options: Options,
): Effect.fn.Return<ReadonlyArray<number>, MigrationError, PgPool.PgPool> {
  const { migrations, schema = defaultSchema } = options
  if (!isOrdered(migrations)) return yield* Effect.die(new Error("Migration ids must rise"))
  if (!isSchemaName(schema)) return yield* invalidName(schema)
  const done: Array<number> = []
  for (;;) {
    // The lock ends with its transaction, so each iteration reads the pending migrations again.
    const id = yield* connected(schema, (connection) => runNext(connection, schema, migrations))
    if (id === undefined) return done
    done.push(id)
  }
})

/** Fails if migrations are pending. Changes nothing, so the role needs only read access. */
export const check = Effect.fn("Migrations.check")(function* (
  options: Options,
): Effect.fn.Return<void, MigrationError, PgPool.PgPool> {
  const { migrations, schema = defaultSchema } = options
  const applied = yield* connected(schema, (one) => readHistory(one, quoteIdentifier(schema)))
  const [next] = yield* pending(schema, migrations, applied ?? [])
  if (next !== undefined) {
    return yield* new MigrationError({ reason: "Pending", schema, migration: label(next) })
  }
})

/**
 * The statements of the migrations after the one with the id `after`, as `run` executes them: a transaction for each
 * migration. For databases that are changed by hand.
 */
export const script = (
  { migrations, schema = defaultSchema }: Options,
  after = 0,
): Effect.Effect<string, MigrationError> => {
  if (!isSchemaName(schema)) return invalidName(schema)
  const quoted = quoteIdentifier(schema)
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  const transactions = migrations
    .filter(({ id }) => id > after)
    .map((migration) => [
      `-- ${label(migration)}`,
      "BEGIN",
      `SELECT pg_advisory_xact_lock(hashtextextended(${literal(lockName(schema))}, 0))`,
      ...(after === 0 && migration === migrations[0] ? historyTable(quoted) : []),
      ...migration.statements(quoted),
      insertInto(quoted, `${migration.id}, ${literal(migration.name)}, ${migration.breaking}`),
      "COMMIT",
    ])
  return Effect.succeed(
    transactions
      .map(([title, ...statements]) => `${title}\n${statements.join(";\n")};\n`)
      .join("\n"),
  )
}

const connected = <A>(
  schema: string,
  use: (connection: PgConnection.PgConnection) => Effect.Effect<A, MigrationError | SqlError>,
) =>
  Effect.flatMap(PgPool.PgPool, (pool) => lend(pool, use)).pipe(
    Effect.catchTag("SqlError", (error) => Effect.fail(failed(schema, undefined, error))),
  )

/** Returns the migrations that have run; `undefined` if the schema has none. `quoted` is the schema. */
const readHistory = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  quoted: string,
) {
  const [found] = yield* runBatch(connection, [
    unprepared("SELECT to_regclass($1) IS NOT NULL AS exists", `${quoted}.migrations`),
  ])
  if (found?.rows[0]?.["exists"] !== true) return undefined
  const [history] = yield* runBatch(connection, [
    unprepared(`SELECT id, name, breaking FROM ${quoted}.migrations ORDER BY id`),
  ])
  return yield* Effect.orDie(decodeHistory(history?.rows))
})

/** Runs the first pending migration. Returns its id, or `undefined` if none is pending. */
const runNext = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  schema: string,
  migrations: ReadonlyArray<Migration>,
) {
  const [next] = yield* pending(schema, migrations, yield* lock(connection, schema))
  if (next === undefined) {
    yield* runBatch(connection, [commit])
    return undefined
  }
  const quoted = quoteIdentifier(schema)
  yield* runBatch(connection, [
    ...next.statements(quoted).map((sql) => unprepared(sql)),
    unprepared(insertInto(quoted, "$1, $2, $3"), next.id, next.name, next.breaking),
    commit,
  ]).pipe(Effect.mapError((error) => failed(schema, next, error)))
  yield* Effect.logInfo(`Migrated the schema ${quoted} to ${label(next)}`)
  return next.id
})

/** How long a node waits for another node's migration, and how long one migration may take. */
const migrationTimeout = "10min"

/** How long a migration waits for a lock on a table. Later statements on that table wait as long. */
const tableLockTimeout = "10s"

/** Opens a transaction that holds the lock. Returns the migrations that have run. */
const lock = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, schema: string) {
  const quoted = quoteIdentifier(schema)
  yield* runBatch(connection, [
    begin,
    unprepared(`SET LOCAL statement_timeout = '${migrationTimeout}'`),
    unprepared(`SET LOCAL lock_timeout = '${migrationTimeout}'`),
    unprepared("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", lockName(schema)),
    unprepared(`SET LOCAL lock_timeout = '${tableLockTimeout}'`),
  ])
  const applied = yield* readHistory(connection, quoted)
  if (applied !== undefined) return applied
  // Only if the table is missing, so that the role of the service needs no permission to create tables.
  yield* runBatch(
    connection,
    historyTable(quoted).map((sql) => unprepared(sql)),
  )
  return []
})

const lockName = (schema: string): string => `countersign migrations ${schema}`

const historyTable = (quoted: string): ReadonlyArray<string> => [
  `CREATE SCHEMA IF NOT EXISTS ${quoted}`,
  `CREATE TABLE ${quoted}.migrations (
      id integer PRIMARY KEY,
      name text NOT NULL,
      breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
]

const insertInto = (quoted: string, values: string): string =>
  `INSERT INTO ${quoted}.migrations (id, name, breaking) VALUES (${values})`

const decodeHistory = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, breaking: Schema.Boolean })),
)

const label = ({ id, name }: AppliedMigration | Migration): string => `${id} ${name}`

const invalidName = (schema: string): MigrationError =>
  new MigrationError({ reason: "InvalidSchemaName", schema, migration: undefined })

const pending = (
  schema: string,
  migrations: ReadonlyArray<Migration>,
  rows: ReadonlyArray<AppliedMigration>,
) =>
  Effect.mapError(
    Effect.fromResult(plan(migrations, rows)),
    ({ applied, reason }) => new MigrationError({ reason, schema, migration: label(applied) }),
  )

const failed = (schema: string, migration: Migration | undefined, { reason }: SqlError) =>
  new MigrationError({
    reason: "MigrationFailed",
    schema,
    migration: migration && label(migration),
    cause: reason.cause,
  })
