/** Decides which migrations a schema needs: pure, over the rows of its `migrations` table. */
import * as Result from "effect/Result"

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
