import type { Migration } from "./migrate.ts"
import * as Tables from "../rows/tables.ts"
import { createType } from "../rows/rowTable.ts"

/** Older builds write none of the columns. Their senders have no reason, their keys no creator, their codes no cost. */
export const addCosts: Migration = {
  id: 10,
  name: "costs",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.brands ADD COLUMN reason text`,
    createType(schema, Tables.brands),
    `ALTER TABLE ${schema}.api_keys ADD COLUMN created_by text NOT NULL DEFAULT ''`,
    createType(schema, Tables.apiKeys),
    `ALTER TABLE ${schema}.prefix_stats ADD COLUMN running_unverified_amount int8 NOT NULL DEFAULT 0,
      ADD COLUMN before_unverified_amount int8 NOT NULL DEFAULT 0`,
    createType(schema, Tables.prefixStats),
    `ALTER TABLE ${schema}.findings ADD COLUMN unverified_amount int8 NOT NULL DEFAULT 0`,
    createType(schema, Tables.findings),
  ],
}
