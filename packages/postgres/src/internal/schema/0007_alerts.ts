import type { Migration } from "./migrate.ts"
import { alerts } from "../rows/alertRows.ts"
import { create } from "../rows/rowTable.ts"

export const addAlerts: Migration = {
  id: 7,
  name: "alerts",
  breaking: false,
  statements: (schema) => [
    ...create(schema, alerts),
    // For finding the organizations with an open alert. There are few.
    `CREATE INDEX alerts_open ON ${schema}.alerts (organization) WHERE is_open`,
    // For finding the organizations with messages since an hour. A row never changes its place in it.
    `CREATE INDEX totals_by_hour ON ${schema}.totals (hour, organization)
      WHERE slot = 'hour' AND kind = 'messages'`,
  ],
}
