/** The statement that reads totals. */
import type { TotalQuery } from "@countersign/core/ports/Store"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"

const dimensions = "kind, channel, gateway, country, outcome"

/** Adds up the hours of each slot. Reads a range of the primary key for each kind. `schema` is quoted. */
export const read = (
  schema: string,
  organization: string,
  { from, kinds, slotMillis, to }: TotalQuery,
): Statement => ({
  sql: `SELECT organization, hour / $4::int8 * $4::int8 AS hour, ${dimensions},
      sum(count)::int8 AS count, ${exactSum("amount")}, ${exactSum("refunded")}
    FROM ${schema}.totals WHERE organization = $1 AND kind = ANY ($5::text[])
      AND hour >= $2 AND hour < $3
    GROUP BY organization, 2, ${dimensions}
    HAVING sum(count) <> 0 OR sum(amount) <> 0 OR sum(refunded) <> 0
    ORDER BY 2, ${dimensions}`,
  params: [...Parameters.list(organization, from, to, slotMillis), Parameters.texts(kinds)],
})

/** As in the engine, a sum beyond the largest exact amount stays there. */
const exactSum = (column: string): string =>
  `greatest(-${Number.MAX_SAFE_INTEGER}, least(${Number.MAX_SAFE_INTEGER}, sum(${column})))::int8 AS ${column}`
