import type { Migration } from "./migrate.ts"
import * as CounterTables from "../rows/counterTables.ts"
import { create, createType } from "../rows/rowTable.ts"
import { webhookProgress } from "../rows/webhookRows.ts"

/** Older builds keep no attempts and count nothing. Newer ones continue after the attempts that they have counted. */
export const addCounters: Migration = {
  id: 9,
  name: "counters",
  breaking: false,
  statements: (schema) => [
    ...create(schema, CounterTables.counters),
    ...create(schema, CounterTables.gatewayPeriods),
    ...create(schema, CounterTables.webhookAttempts),
    // For retention, and for the filters of the list.
    `CREATE INDEX counters_hour ON ${schema}.counters (slot, hour)`,
    `CREATE INDEX webhook_attempts_at ON ${schema}.webhook_attempts (at)`,
    `CREATE INDEX webhook_attempts_failed ON ${schema}.webhook_attempts (organization, webhook_id, position)
      WHERE error IS NOT NULL`,
    `CREATE INDEX webhook_attempts_event ON ${schema}.webhook_attempts
      (organization, webhook_id, sequence, position)`,
    `ALTER TABLE ${schema}.webhook_progress ADD COLUMN attempted int8 NOT NULL DEFAULT 0`,
    createType(schema, webhookProgress),
  ],
}
