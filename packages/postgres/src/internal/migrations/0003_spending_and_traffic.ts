import type { Migration } from "../../Migrations.ts"

/**
 * The amount spent in a day, the codes for each prefix, and the findings of fraud detection.
 *
 * Not breaking: builds without this migration still write accounts as rows of `account_row`, which keeps the
 * new columns unchanged. So charges by such a build do not count.
 */
export const spendingAndTraffic: Migration = {
  id: 3,
  name: "spending and traffic",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.accounts ADD COLUMN spent_on int8 NOT NULL DEFAULT 0,
      ADD COLUMN spent int8 NOT NULL DEFAULT 0`,
    `CREATE TYPE ${schema}.spending_account_row AS (organization text, version int8, balance int8,
      held int8, entries int8, last_message int8, first_message int8, last_at int8, checks int8[],
      sends int8[], spent_on int8, spent int8)`,
    // One row for each prefix. It changes with every code, so its page reserves room for the next version.
    `CREATE TABLE ${schema}.traffic (
      organization text COLLATE "C" NOT NULL,
      prefix text COLLATE "C" NOT NULL,
      since int8 NOT NULL,
      sent int8 NOT NULL,
      verified int8 NOT NULL CHECK (verified BETWEEN 0 AND sent),
      sent_before int8 NOT NULL,
      verified_before int8 NOT NULL CHECK (verified_before BETWEEN 0 AND sent_before),
      velocity_at int8,
      conversion_at int8,
      PRIMARY KEY (organization, prefix)
    ) WITH (fillfactor = 50)`,
    `CREATE TYPE ${schema}.traffic_row AS (organization text, prefix text, since int8, sent int8,
      verified int8, sent_before int8, verified_before int8, velocity_at int8, conversion_at int8)`,
    `CREATE TABLE ${schema}.fraud_findings (
      organization text COLLATE "C" NOT NULL,
      at int8 NOT NULL,
      prefix text COLLATE "C" NOT NULL,
      reason text COLLATE "C" NOT NULL,
      action text NOT NULL,
      sent int8 NOT NULL,
      verified int8 NOT NULL,
      PRIMARY KEY (organization, at, prefix, reason)
    )`,
    `CREATE TYPE ${schema}.fraud_finding_row AS (organization text, at int8, prefix text, reason text,
      action text, sent int8, verified int8)`,
  ],
}
