/**
 * Deletes expired ids of gateways, so that their table does not grow with every message.
 *
 * The id of an open message stays until the message is final. A final message gets no further id, so a row that
 * may be deleted once may be deleted at any later time, and no lock of an organization is needed.
 */
import * as Columns from "../rows/columns.ts"
import type { Row } from "../rows/rows.ts"
import { databaseNow } from "../statements/batchReads.ts"
import type { TableScan } from "./tableScan.ts"

/** Number of ids that one step of the scan reads. */
export const idsPerStep = 1_000

/**
 * A scan over expired ids, the longest expired first. `schema` is quoted. A step may leave some of the ids that
 * expired at the same moment; the next scan finds them. The scan skips ids that another node is deleting
 * instead of waiting for them.
 */
export const walk = (schema: string): TableScan => ({
  name: "gateway ids",
  step: (after: Row | undefined, now) => ({
    sql: `WITH looked AS MATERIALIZED (
        SELECT organization, number, expires_at FROM ${schema}.gateway_ids
        WHERE expires_at > $1 AND expires_at <= (SELECT coalesce($2::int8, ${databaseNow}))
        ORDER BY expires_at LIMIT ${idsPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM looked, LATERAL (
          SELECT g.organization, g.number FROM ${schema}.gateway_ids g
          WHERE g.organization = looked.organization AND g.number = looked.number
            AND (g.expires_at <= looked.expires_at) IS TRUE AND NOT EXISTS (
              SELECT FROM ${schema}.open_messages m
              WHERE m.organization = looked.organization AND m.number = looked.number)
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.gateway_ids g USING old
        WHERE g.organization = old.organization AND g.number = old.number
      )
      SELECT expires_at FROM looked ORDER BY expires_at DESC LIMIT 1`,
    params: [
      Columns.int8(after === undefined ? -1 : Columns.numberOf(after, "expires_at")),
      Columns.int8OrNull(now),
    ],
  }),
})
