/** The statements that find the webhooks with something to deliver. */
import type { DueWebhooks } from "@countersign/core/ports/Store"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import { databaseNow } from "./batchReads.ts"

const now = `coalesce($1::int8, ${databaseNow})`

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  /**
   * Selects by `WebhookProgress.isFree` and `isDue`. Looks up the account and the progress of each webhook, which
   * are few: some for each organization at most.
   */
  readDue: (hostNow: number | undefined, { after, isTroubled, limit }: DueWebhooks): Statement => ({
    sql: `SELECT w.organization, w.id FROM ${schema}.webhooks w
      JOIN LATERAL (SELECT last_event FROM ${schema}.accounts
        WHERE organization = w.organization OFFSET 0) a ON true
      LEFT JOIN LATERAL (SELECT * FROM ${schema}.webhook_progress
        WHERE organization = w.organization AND id = w.id OFFSET 0) p ON true
      WHERE (w.organization, w.id) > ($2::text, $3::text) AND w.is_enabled
        AND (p.troubled_since IS NOT NULL) = ($4 = 1)
        AND coalesce(p.status, 'active') = 'active' AND coalesce(p.lease_until, 0) <= ${now}
        AND (coalesce(p.retry_at <= ${now}, false)
          OR (NOT coalesce(p.is_full, false) AND coalesce(p.position, w.starts_after) < a.last_event))
      ORDER BY w.organization, w.id LIMIT $5::int8`,
    params: Parameters.list(
      hostNow,
      after?.organization ?? "",
      after?.id ?? "",
      Number(isTroubled),
      limit,
    ),
  }),

  readProgress: (organization: string): Statement => ({
    sql: `SELECT ${webhookProgress.list} FROM ${schema}.webhook_progress WHERE organization = $1 ORDER BY id`,
    params: Parameters.list(organization),
  }),
})
