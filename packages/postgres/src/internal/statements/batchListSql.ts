/** The reads of batches of messages. A stored plan of each suits tables of any size. */
import type { BatchRef } from "@countersign/core/domain/outbox/Batch"

import type { BatchPlace } from "@countersign/core/ports/BatchRows"
import type { Statement } from "../connection/pipeline.ts"
import { batches, batchTotals } from "../rows/batchTables.ts"

interface Place {
  readonly organization: string
  readonly queue: string
}

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  readBatch: (organization: string, id: string): Statement => ({
    sql: `SELECT ${batches.list} FROM ${schema}.batches WHERE organization = $1 AND id = $2`,
    params: [organization, id],
  }),

  readBatches: (
    organization: string,
    before: BatchPlace | undefined,
    limit: number,
  ): Statement => ({
    sql: `SELECT ${batches.list} FROM ${schema}.batches
      WHERE organization = $1 AND created_at <= $2 AND (created_at, id) < ($2, $3)
      ORDER BY created_at DESC, id DESC LIMIT $4`,
    params: [organization, before?.createdAt ?? Number.MAX_SAFE_INTEGER, before?.id ?? "", limit],
  }),

  readOpenBatches: (after: BatchRef | undefined, limit: number): Statement => ({
    sql: `SELECT ${batches.list} FROM ${schema}.batches
      WHERE is_open AND (organization, id) > ($1, $2) ORDER BY organization, id LIMIT $3`,
    params: [after?.organization ?? "", after?.id ?? "", limit],
  }),

  readBatchTotals: (organization: string, ids: ReadonlyArray<string>): Statement => ({
    sql: `SELECT ${batchTotals.of("t")} FROM unnest($2::text[]) AS k (batch), LATERAL (
        SELECT * FROM ${schema}.batch_totals t
        WHERE t.organization = $1 AND t.batch = k.batch OFFSET 0) t`,
    params: [organization, ids],
  }),

  readOpenQueued: ({ organization, queue }: Place, limit: number): Statement => ({
    sql: `SELECT id FROM ${schema}.outbox
      WHERE organization = $1 AND queue = $2 AND due_at IS NOT NULL
      ORDER BY due_at, position LIMIT $3`,
    params: [organization, queue, limit],
  }),
})
