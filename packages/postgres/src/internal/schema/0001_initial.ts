import type { Migration } from "./migrate.ts"
import { create } from "../rows/rowTable.ts"
import * as AllTables from "../rows/allTables.ts"

/** A test detects changes: a schema that has run this migration does not run it again. */
export const initial: Migration = {
  id: 1,
  name: "initial",
  breaking: true,
  statements: (schema) => [
    `CREATE TABLE ${schema}.organizations (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      settings jsonb NOT NULL,
      erased_at int8
    )`,
    ...AllTables.initial.flatMap((table) => create(schema, table)),
    // A key's id is 95 random bits. A unique index over all organizations would only cause work for a database
    // that is partitioned by them.
    `CREATE INDEX api_keys_id ON ${schema}.api_keys (id)`,
    // For searches by phone number. Only an erasure changes its columns, so settling a message does not touch it. The
    // condition holds for every row. It hides the index from statements that name no phone number, whose kept plan
    // could otherwise use it instead of the primary key.
    `CREATE INDEX messages_phone_number ON ${schema}.messages (organization, phone_number, sequence)
      WHERE phone_number IS NOT NULL`,
    `CREATE INDEX open_messages_due_at ON ${schema}.open_messages (due_at)`,
    `CREATE INDEX gateway_ids_gateway_id ON ${schema}.gateway_ids (gateway, gateway_id)`,
    // For deleting expired ids. It does not contain ids that never expire, which therefore cost nothing more.
    `CREATE INDEX gateway_ids_expires_at ON ${schema}.gateway_ids (expires_at)
      WHERE expires_at IS NOT NULL`,
    // A hold is resolved once: the index refuses the second capture or release of a message.
    `CREATE UNIQUE INDEX entries_resolution ON ${schema}.entries (organization, message_sequence)
      WHERE kind IN ('capture', 'release')`,
    // A payment is booked once. The engine contains the rule; the index is a safety net.
    `CREATE UNIQUE INDEX entries_payment_id ON ${schema}.entries (organization, payment_id)
      WHERE payment_id IS NOT NULL`,
    `CREATE TABLE ${schema}.kept_reports (
      gateway text NOT NULL,
      gateway_id text NOT NULL,
      status text NOT NULL,
      detail text,
      evidence text,
      received_at int8 NOT NULL,
      PRIMARY KEY (gateway, gateway_id, status)
    )`,
    // The keys that phone numbers may be encrypted under. The empty id stands for numbers in plain text.
    `CREATE TABLE ${schema}.number_keys (
      id text COLLATE "C" PRIMARY KEY,
      fingerprint text NOT NULL,
      used_at timestamptz NOT NULL DEFAULT now()
    )`,
    // The ids of the secrets that processes have started with. Only the first of an empty table has `is_first`.
    `CREATE TABLE ${schema}.peppers (
      id text COLLATE "C" PRIMARY KEY,
      used_at int8 NOT NULL,
      is_first bool UNIQUE
    )`,
    // Sessions of the admin pages. They belong to no organization.
    `CREATE TABLE ${schema}.admin_sessions (
      id text COLLATE "C" PRIMARY KEY,
      login text NOT NULL,
      started_at int8 NOT NULL,
      seen_at int8 NOT NULL,
      network text,
      agent text
    )`,
    // One row for each writer of each node: the last batch that it committed for the organization.
    `CREATE TABLE ${schema}.lanes (
      organization text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      batch int8 NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (organization, id)
    ) WITH (fillfactor = 25)`,
  ],
}
