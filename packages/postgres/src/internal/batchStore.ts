/** The reads of batches of messages. */
import type { BatchRows } from "@countersign/core/ports/BatchRows"
import type { Database } from "./database.ts"
import { batches, batchTotals } from "./rows/batchTables.ts"
import { text } from "./rows/columns.ts"
import * as BatchListSql from "./statements/batchListSql.ts"

export const makeBatchRows = ({ all, first, schema }: Database): BatchRows => {
  const sql = BatchListSql.make(schema)
  return {
    batch: (organization, id) => first(sql.readBatch(organization, id), batches.decode),
    batches: (organization, before, limit) =>
      all(sql.readBatches(organization, before, limit), batches.decode),
    openBatches: (after, limit) => all(sql.readOpenBatches(after, limit), batches.decode),
    batchTotals: (organization, ids) =>
      all(sql.readBatchTotals(organization, ids), batchTotals.decode),
    openQueued: (queue, limit) =>
      all(sql.readOpenQueued(queue, limit), (row) => text.decode(row, "id")),
  }
}
