/** The statements that read sums of the ledger. */
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { halve } from "./queries.ts"

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  balancesBefore: (organization: string, at: number): Statement => ({
    sql: `WITH RECURSIVE edge (low, high) AS (
        SELECT 1::int8, entries + 1 FROM ${schema}.accounts WHERE organization = $1
        UNION ALL
        ${halve(schema, "edge", "m.at >= $2::int8", { table: "entries", time: "at" })}
      )
      SELECT sequence, balance, held FROM ${schema}.entries
      WHERE organization = $1 AND sequence = (SELECT low - 1 FROM edge WHERE low = high)`,
    params: Parameters.list(organization, at),
  }),

  sumEntries: (organization: string, after: number, through: number): Statement => ({
    sql: `SELECT kind, count(*) AS count, sum(amount)::text AS amount FROM ${schema}.entries
      WHERE organization = $1 AND sequence > $2 AND sequence <= $3 GROUP BY kind`,
    params: Parameters.list(organization, after, through),
  }),
})
