import type { Migration } from "./migrate.ts"
import { batches, batchTotals } from "../rows/batchTables.ts"
import { create } from "../rows/rowTable.ts"

export const addBatches: Migration = {
  id: 4,
  name: "batches",
  breaking: false,
  statements: (schema) => [
    ...create(schema, batches),
    ...create(schema, batchTotals),
    // For pages of the list, and for retention. The condition holds for every row. It hides the index from statements that
    // name no time.
    `CREATE INDEX batches_created_at ON ${schema}.batches (organization, created_at, id)
      WHERE created_at IS NOT NULL`,
    // For finding the batches that have work left. There are few.
    `CREATE INDEX batches_open ON ${schema}.batches (organization, id) WHERE is_open`,
  ],
}
