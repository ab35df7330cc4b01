import type { Migration } from "../../Migrations.ts"

/**
 * The time until which a gateway's id refers to a message that is final, because gateways may reuse ids.
 *
 * Not breaking: builds without this migration still write ids as rows of `gateway_id_row`. Such an id never
 * expires.
 */
export const expiringGatewayIds: Migration = {
  id: 5,
  name: "expiring gateway ids",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.gateway_ids ADD COLUMN expires_at int8`,
    `CREATE TYPE ${schema}.expiring_gateway_id_row AS (organization text, number int8, gateway text,
      gateway_id text, expires_at int8)`,
    // For deleting expired ids. It does not contain ids that never expire, which therefore cost nothing more.
    `CREATE INDEX gateway_ids_expires_at ON ${schema}.gateway_ids (expires_at)
      WHERE expires_at IS NOT NULL`,
  ],
}
