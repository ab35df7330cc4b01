/** The statement that reads totals. */
import { dayMillis } from "@countersign/core/domain/Total"
import type { TotalQuery } from "@countersign/core/ports/Store"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { totals } from "../rows/totals.ts"

const dimensions = "kind, channel, gateway, country, outcome"

/** Reads a range of the primary key for each kind. `schema` is quoted. */
export const read = (
  schema: string,
  organization: string,
  { from, kinds, slotMillis, to }: TotalQuery,
): Statement => ({
  sql: `SELECT ${totals.list} FROM ${schema}.totals
    WHERE organization = $1 AND kind = ANY ($4::text[]) AND slot = $5 AND hour >= $2 AND hour < $3
      AND (count <> 0 OR amount <> 0 OR refunded <> 0)
    ORDER BY hour, ${dimensions}`,
  params: [
    ...Parameters.list(organization, from, to),
    Parameters.texts(kinds),
    Parameters.text(slotMillis === dayMillis ? "day" : "hour"),
  ],
})
