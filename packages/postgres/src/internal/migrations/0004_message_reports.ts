import type { Migration } from "../../Migrations.ts"

/**
 * What gateways have reported on each message, as it was received, masked.
 *
 * Not breaking: builds that do not know of it go on writing messages as rows of `message_row`, which
 * leaves the count as it is, and keep nothing of the reports that they take in.
 */
export const messageReports: Migration = {
  id: 4,
  name: "message reports",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.messages ADD COLUMN reports int4 NOT NULL DEFAULT 0`,
    `CREATE TYPE ${schema}.reported_message_row AS (organization text, number int8, id text,
      recipient text, body text, channel text, log_channel text, sender text, verification text,
      status text, charge int8, hold text, gateway text, gateway_id text, error text, created_at int8,
      attempt int4, due_at int8, settle_by int8, anomalies int4, anomaly text, reports int4)`,
    `ALTER TABLE ${schema}.kept_reports ADD COLUMN raw text`,
    // Only ever appended to, and dropped with the messages.
    `CREATE TABLE ${schema}.message_reports (
      organization text COLLATE "C" NOT NULL,
      message int8 NOT NULL,
      position int4 NOT NULL,
      received_at int8 NOT NULL,
      gateway text NOT NULL,
      gateway_id text,
      status text NOT NULL,
      detail text,
      raw text,
      PRIMARY KEY (organization, message, position)
    )`,
    `CREATE TYPE ${schema}.message_report_row AS (organization text, message int8, position int4,
      received_at int8, gateway text, gateway_id text, status text, detail text, raw text)`,
  ],
}
