import type { Migration } from "./migrate.ts"

/** Older builds take messages of a batch one by one. Newer ones leave those alone. */
export const addBatchRanges: Migration = {
  id: 5,
  name: "batch ranges",
  breaking: false,
  statements: (schema) => [
    // The position up to which nodes have read the messages of a batch, and the end of the last lease.
    `ALTER TABLE ${schema}.batches ADD COLUMN read_to int8 NOT NULL DEFAULT 0,
      ADD COLUMN read_until int8 NOT NULL DEFAULT 0`,
  ],
}
