/** Decides which migrations a schema needs: pure, over the rows of its `migrations` table. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A migration, as the schema records it. */
export interface AppliedMigration {
  /** Positive, and increasing along the list. */
  readonly id: number
  readonly name: string
  /** Whether builds that do not know this migration must not use the schema. */
  readonly breaking: boolean
}

/** A step from one version of the schema to the next. */
export interface Migration extends AppliedMigration {
  /** Returns the statements, which run in one transaction. `schema` is quoted for use in SQL. */
  readonly statements: (schema: string) => ReadonlyArray<string>
}

export interface Refusal {
  readonly reason: "DatabaseTooNew" | "HistoryDiffers"
  /** The applied migration that prevents it. */
  readonly applied: AppliedMigration
}

/** Returns the pending migrations, in order. `applied` is in the order of the ids. */
export const plan = (
  migrations: ReadonlyArray<Migration>,
  applied: ReadonlyArray<AppliedMigration>,
): Result.Result<ReadonlyArray<Migration>, Refusal> => {
  for (const row of applied) {
    const known = migrations.find(({ id }) => id === row.id)
    if (known === undefined && row.breaking) {
      return Result.fail({ reason: "DatabaseTooNew", applied: row })
    }
    if (known !== undefined && known.name !== row.name) {
      return Result.fail({ reason: "HistoryDiffers", applied: row })
    }
  }
  const pending = migrations.filter(({ id }) => !applied.some((row) => row.id === id))
  const newest = applied.at(-1)
  return newest !== undefined && pending.some(({ id }) => id < newest.id)
    ? Result.fail({ reason: "HistoryDiffers", applied: newest })
    : Result.succeed(pending)
}

/** Whether the ids are positive and increasing, which `plan` requires. */
export const isOrdered = (migrations: ReadonlyArray<Migration>): boolean =>
  migrations.every(({ id }, index) => Number.isInteger(id) && id > (migrations[index - 1]?.id ?? 0))

/** PostgreSQL silently truncates longer names. The length is in bytes. */
const longestName = 63

export const isSchemaName = (name: string): boolean =>
  name !== "" &&
  !name.includes("\0") &&
  !name.startsWith("pg_") &&
  Buffer.byteLength(name) <= longestName

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The schema is not at the expected version and was not changed.
 *
 * - `DatabaseTooNew`: a newer build has run a migration that this build cannot work with.
 * - `HistoryDiffers`: the schema was migrated by a build with another list of migrations.
 * - `Pending`: the schema has not been migrated to the version of this build.
 * - `MigrationFailed`: the database refused a statement or could not be reached.
 * - `NotEmpty`: the schema cannot be partitioned, because it contains organizations.
 * - `InvalidSchemaName`: the name is empty, longer than 63 bytes, or reserved by PostgreSQL (`pg_…`).
 */
export class MigrationError extends Schema.TaggedError<MigrationError>()("MigrationError", {
  reason: Schema.Literals([
    "DatabaseTooNew",
    "HistoryDiffers",
    "Pending",
    "MigrationFailed",
    "NotEmpty",
    "InvalidSchemaName",
  ]),
  schema: Schema.String,
  /** The migration with the problem, as `id name`; `undefined` if the problem is not in a migration. */
  migration: Schema.UndefinedOr(Schema.String),
  cause: Schema.optional(Schema.Defect()),
}) {
  override get message(): string {
    const schema = `schema "${this.schema}"`
    switch (this.reason) {
      case "DatabaseTooNew":
        return `The ${schema} has been brought to a newer version by migration ${this.migration}, and this build cannot work with it. Run a build that knows this migration.`
      case "HistoryDiffers":
        return `The ${schema} has run migration ${this.migration}, which is not in this build's history. It belongs to another build or another application.`
      case "Pending":
        return `The ${schema} lacks migration ${this.migration}. Migrate it before this build is started on it.`
      case "MigrationFailed":
        return `The ${schema} could not be migrated (${this.migration ?? "before the first migration"}): ${String(this.cause)}`
      case "NotEmpty":
        return `The ${schema} has organizations already, so its tables are not split into partitions. Start it without them, or on a new schema.`
      case "InvalidSchemaName":
        return `"${this.schema}" cannot be the name of a schema: it must not be empty, longer than 63 bytes, or begin with "pg_".`
    }
  }
}
