import type { Migration } from "../../Migrations.ts"

/**
 * All primary keys begin with the organization, so the data can be partitioned by it. Times are epoch
 * milliseconds and money is whole units, as in the engine, so the database returns values unchanged. The CHECK
 * constraints are a safety net under the engine's rules, not a second copy of them.
 *
 * Identifiers compare bytewise (collation C), which is faster and the same on every machine.
 */
export const initial: Migration = {
  id: 1,
  name: "initial",
  breaking: true,
  statements: (schema) => [
    `CREATE TABLE ${schema}.organizations (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      settings jsonb NOT NULL
    )`,
    `CREATE TABLE ${schema}.brands (
      organization text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      position int4 NOT NULL,
      kind text NOT NULL,
      sender text NOT NULL,
      status text NOT NULL,
      is_default bool NOT NULL,
      PRIMARY KEY (organization, id)
    )`,
    `CREATE TABLE ${schema}.api_keys (
      organization text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      position int4 NOT NULL,
      name text NOT NULL,
      environment text NOT NULL,
      secret_hash bytea NOT NULL,
      created_at int8 NOT NULL,
      revoked_at int8,
      PRIMARY KEY (organization, id)
    )`,
    `CREATE UNIQUE INDEX api_keys_id ON ${schema}.api_keys (id)`,
    // The row that is locked while the engine decides an organization's commands. It changes with every batch,
    // so its page reserves room for the next version.
    `CREATE TABLE ${schema}.accounts (
      organization text COLLATE "C" PRIMARY KEY,
      version int8 NOT NULL,
      balance int8 NOT NULL CHECK (balance >= 0),
      held int8 NOT NULL CHECK (held >= 0),
      entries int8 NOT NULL,
      last_message int8 NOT NULL,
      first_message int8 NOT NULL,
      last_at int8 NOT NULL,
      checks int8[] NOT NULL,
      sends int8[] NOT NULL
    ) WITH (fillfactor = 25)`,
    `CREATE TABLE ${schema}.recipients (
      organization text COLLATE "C" NOT NULL,
      number text COLLATE "C" NOT NULL,
      sends int8[] NOT NULL,
      pending jsonb NOT NULL,
      PRIMARY KEY (organization, number)
    ) WITH (fillfactor = 70)`,
    `CREATE TABLE ${schema}.verifications (
      organization text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      number text NOT NULL,
      channel text NOT NULL,
      status text NOT NULL,
      created_at int8 NOT NULL,
      expires_at int8 NOT NULL,
      verified_at int8,
      attempts_remaining int4 NOT NULL CHECK (attempts_remaining >= 0),
      digest bytea NOT NULL,
      pepper text NOT NULL,
      message int8 NOT NULL,
      prefix text COLLATE "C",
      PRIMARY KEY (organization, id)
    ) WITH (fillfactor = 85)`,
    // No index contains a column that changes after the insert, so settling a message changes its own page and
    // no index. Open messages and gateway ids are in tables of their own.
    `CREATE TABLE ${schema}.messages (
      organization text COLLATE "C" NOT NULL,
      number int8 NOT NULL,
      id text NOT NULL,
      recipient text NOT NULL,
      body text NOT NULL,
      channel text NOT NULL,
      log_channel text NOT NULL,
      sender text NOT NULL,
      verification text,
      status text NOT NULL,
      charge int8 NOT NULL CHECK (charge >= 0),
      hold text NOT NULL,
      gateway text NOT NULL,
      gateway_id text,
      error text,
      created_at int8 NOT NULL,
      attempt int4 NOT NULL,
      due_at int8,
      settle_by int8 NOT NULL,
      anomalies int4 NOT NULL,
      anomaly text,
      PRIMARY KEY (organization, number)
    ) WITH (fillfactor = 80)`,
    `CREATE INDEX messages_created_at ON ${schema}.messages (organization, created_at, number)`,
    `CREATE TABLE ${schema}.open_messages (
      organization text COLLATE "C" NOT NULL,
      number int8 NOT NULL,
      due_at int8 NOT NULL,
      PRIMARY KEY (organization, number)
    )`,
    `CREATE INDEX open_messages_due_at ON ${schema}.open_messages (due_at)`,
    `CREATE TABLE ${schema}.gateway_ids (
      organization text COLLATE "C" NOT NULL,
      number int8 NOT NULL,
      gateway text NOT NULL,
      gateway_id text NOT NULL,
      PRIMARY KEY (organization, number)
    )`,
    `CREATE INDEX gateway_ids_gateway_id ON ${schema}.gateway_ids (gateway, gateway_id)`,
    // A hold is resolved once: the index refuses the second capture or release of a message.
    `CREATE TABLE ${schema}.entries (
      organization text COLLATE "C" NOT NULL,
      number int8 NOT NULL,
      kind text NOT NULL,
      amount int8 NOT NULL,
      balance int8 NOT NULL CHECK (balance >= 0),
      held int8 NOT NULL CHECK (held >= 0),
      message int8,
      note text,
      at int8 NOT NULL,
      PRIMARY KEY (organization, number)
    )`,
    `CREATE UNIQUE INDEX entries_resolution ON ${schema}.entries (organization, message)
      WHERE kind IN ('capture', 'release')`,
    `CREATE TABLE ${schema}.kept_reports (
      gateway text NOT NULL,
      gateway_id text NOT NULL,
      status text NOT NULL,
      detail text,
      received_at int8 NOT NULL,
      PRIMARY KEY (gateway, gateway_id, status)
    )`,
    // One row for each writer of each node: the last batch that it committed.
    `CREATE TABLE ${schema}.lanes (
      id text COLLATE "C" PRIMARY KEY,
      batch int8 NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 25)`,
  ],
}
