import type { Migration } from "../../Migrations.ts"

/**
 * The payment that a ledger entry books, at most once for each organization.
 *
 * The engine contains the rule; the unique index is a safety net. Not breaking: builds without this migration
 * still write entries as rows of `entry_row`, which leaves the column empty. So they recognize no repeated
 * payment.
 */
export const paymentIds: Migration = {
  id: 6,
  name: "payment ids",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.entries ADD COLUMN payment_id text COLLATE "C"`,
    `CREATE UNIQUE INDEX entries_payment_id ON ${schema}.entries (organization, payment_id)
      WHERE payment_id IS NOT NULL`,
    `CREATE TYPE ${schema}.payment_entry_row AS (organization text, number int8, kind text, amount int8,
      balance int8, held int8, message int8, note text, at int8, payment_id text)`,
  ],
}
