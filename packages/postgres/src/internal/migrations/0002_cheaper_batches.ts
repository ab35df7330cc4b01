import type { Migration } from "../../Migrations.ts"

/**
 * Makes batches cheaper for the server.
 *
 * The rows of a batch are sent as arrays of these types, one parameter for each kind of row. This takes half
 * the server's time of an array for each column. The types are not the row types of the tables, so a later
 * migration may add a column while nodes of this build still write.
 *
 * A stamp on the account shows whether rows that were read without a lock are still current.
 *
 * The log needs no index by time: times never decrease along its numbers, so a binary search finds dates. With
 * a single index, a plan for the table can never use another.
 *
 * A writer's signature moves into the organization that it signs for, so that everything that a commit changes
 * for one organization is in one place.
 */
export const cheaperBatches: Migration = {
  id: 2,
  name: "cheaper batches",
  breaking: true,
  statements: (schema) => [
    // Increases with every change of the organization's data.
    `ALTER TABLE ${schema}.accounts ADD COLUMN stamp int8 NOT NULL DEFAULT 0`,
    `CREATE TYPE ${schema}.account_row AS (organization text, version int8, balance int8, held int8,
      entries int8, last_message int8, first_message int8, last_at int8, checks int8[], sends int8[])`,
    `CREATE TYPE ${schema}.recipient_row AS (organization text, number text, sends int8[], pending jsonb)`,
    `CREATE TYPE ${schema}.verification_row AS (organization text, id text, number text, channel text,
      status text, created_at int8, expires_at int8, verified_at int8, attempts_remaining int4,
      digest bytea, pepper text, message int8, prefix text)`,
    `CREATE TYPE ${schema}.message_row AS (organization text, number int8, id text, recipient text,
      body text, channel text, log_channel text, sender text, verification text, status text, charge int8,
      hold text, gateway text, gateway_id text, error text, created_at int8, attempt int4, due_at int8,
      settle_by int8, anomalies int4, anomaly text)`,
    `CREATE TYPE ${schema}.open_message_row AS (organization text, number int8, due_at int8)`,
    `CREATE TYPE ${schema}.gateway_id_row AS (organization text, number int8, gateway text,
      gateway_id text)`,
    `CREATE TYPE ${schema}.entry_row AS (organization text, number int8, kind text, amount int8,
      balance int8, held int8, message int8, note text, at int8)`,
    `DROP INDEX ${schema}.messages_created_at`,
    // A key's id is 95 random bits. A unique index over all organizations would only cause work for a database
    // that is partitioned by them.
    `DROP INDEX ${schema}.api_keys_id`,
    `CREATE INDEX api_keys_id ON ${schema}.api_keys (id)`,
    `DROP TABLE ${schema}.lanes`,
    // One row for each writer of each node: the last batch that it committed there.
    `CREATE TABLE ${schema}.lanes (
      organization text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      batch int8 NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (organization, id)
    ) WITH (fillfactor = 25)`,
  ],
}
