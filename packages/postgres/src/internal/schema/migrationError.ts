import * as Schema from "effect/Schema"

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
