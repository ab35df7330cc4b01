import type { Migration } from "../../Migrations.ts"

/**
 * Until when a gateway's id leads to a message that is final: gateways may give an id again.
 *
 * Not breaking: builds that do not know of it go on writing ids as rows of `gateway_id_row`, and such an
 * id counts for ever.
 */
export const expiringGatewayIds: Migration = {
  id: 5,
  name: "expiring gateway ids",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.gateway_ids ADD COLUMN expires_at int8`,
    `CREATE TYPE ${schema}.expiring_gateway_id_row AS (organization text, number int8, gateway text,
      gateway_id text, expires_at int8)`,
    // For dropping what has expired. An id that counts for ever is not in it, and costs nothing more.
    `CREATE INDEX gateway_ids_expires_at ON ${schema}.gateway_ids (expires_at)
      WHERE expires_at IS NOT NULL`,
  ],
}
