/** Splits tables into partitions by organization, which every key begins with and every statement names. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { text } from "../rows/columns.ts"
import { MigrationError, quoteIdentifier } from "./migrate.ts"
import { begin, commit, lend, runBatch, unprepared } from "../connection/pipeline.ts"

/** At least two partitions make sense. The server considers all of them when it plans a statement. */
const bounds = { min: 2, max: 1_024 }

/**
 * The outbox stays whole: a partitioned table can have an identity column only from PostgreSQL 17 on. Its rows are
 * found without the organization as well, and leave when they have ended.
 */
const whole = "outbox"

/**
 * Partitions the tables of a schema without organizations. Leaves tables that are already partitioned
 * unchanged, even if their number differs: a start cannot change it.
 */
export const ensure = (
  schema: string,
  count: number,
): Effect.Effect<void, MigrationError, PgPool.PgPool> => {
  const failed = (cause: unknown) =>
    new MigrationError({ reason: "MigrationFailed", schema, migration: "partitions", cause })
  if (!Number.isInteger(count) || count < bounds.min || count > bounds.max) {
    return Effect.fail(
      failed(new RangeError(`partitions must be between ${bounds.min} and ${bounds.max}`)),
    )
  }
  return Effect.flatMap(PgPool.PgPool, (pool) =>
    lend(pool, (connection) => split(connection, schema, count)).pipe(
      Effect.catchTag("SqlError", (error) => Effect.fail(failed(error.reason.cause))),
    ),
  )
}

const split = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  schema: string,
  count: number,
): Effect.fn.Return<void, SqlError | MigrationError> {
  const quoted = quoteIdentifier(schema)
  const [, , accounts, found] = yield* runBatch(connection, [
    begin,
    // If two nodes start at once, the second finds the tables partitioned.
    unprepared(`LOCK TABLE ${quoted}.organizations IN ACCESS EXCLUSIVE MODE`),
    // A later build adds tables without partitions to a schema that was partitioned before.
    unprepared(`SELECT EXISTS (SELECT FROM ${quoted}.organizations) AND relkind <> 'p' AS filled
      FROM pg_class WHERE oid = '${quoted}.accounts'::regclass`),
    unprepared(
      `SELECT c.relname AS name, coalesce(array_to_string(c.reloptions, ', '), '') AS options
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization'
        WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT c.relispartition AND c.relname <> $2 ORDER BY c.relname`,
      schema,
      whole,
    ),
  ])
  const tables = found?.rows ?? []
  if (tables.length > 0) {
    if (accounts?.rows[0]?.["filled"] === true) {
      return yield* new MigrationError({ reason: "NotEmpty", schema, migration: "partitions" })
    }
    yield* runBatch(
      connection,
      tables.flatMap((row) =>
        splitTable(quoted, text.decode(row, "name"), text.decode(row, "options"), count),
      ),
    )
  }
  yield* runBatch(connection, [commit])
})

const splitTable = (quoted: string, name: string, options: string, count: number) => {
  const table = `${quoted}.${quoteIdentifier(name)}`
  const before = quoteIdentifier(`${name}_whole`)
  const settings = options === "" ? "" : ` WITH (${options})`
  return [
    `ALTER TABLE ${table} RENAME TO ${before}`,
    `CREATE TABLE ${table} (LIKE ${quoted}.${before} INCLUDING ALL)
      PARTITION BY HASH (organization)`,
    ...Array.from(
      { length: count },
      (_, remainder) =>
        `CREATE TABLE ${quoted}.${quoteIdentifier(`${name}_${remainder}`)} PARTITION OF ${table}
          FOR VALUES WITH (MODULUS ${count}, REMAINDER ${remainder})${settings}`,
    ),
    `INSERT INTO ${table} SELECT * FROM ${quoted}.${before}`,
    `DROP TABLE ${quoted}.${before}`,
  ].map((sql) => unprepared(sql))
}
