import type { Migration } from "../../Migrations.ts"

/**
 * The reports of gateways on each message.
 *
 * Not breaking: builds without this migration still write messages as rows of `message_row`, which keeps the
 * count unchanged. They do not store the reports that they process.
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
    `ALTER TABLE ${schema}.kept_reports ADD COLUMN evidence text`,
    // Rows are only inserted, and deleted with the messages.
    `CREATE TABLE ${schema}.message_reports (
      organization text COLLATE "C" NOT NULL,
      message int8 NOT NULL,
      position int4 NOT NULL,
      received_at int8 NOT NULL,
      gateway text NOT NULL,
      gateway_id text,
      status text NOT NULL,
      detail text,
      evidence text,
      PRIMARY KEY (organization, message, position)
    )`,
    `CREATE TYPE ${schema}.message_report_row AS (organization text, message int8, position int4,
      received_at int8, gateway text, gateway_id text, status text, detail text, evidence text)`,
  ],
}
