/** The reads of alerts. A stored plan of each suits tables of any size. */
import { hourMillis } from "@countersign/core/domain/money/Total"
import type { AlertQuery } from "@countersign/core/ports/AlertRows"
import type { Statement } from "../connection/pipeline.ts"
import { alerts } from "../rows/alertRows.ts"

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => {
  /**
   * The first organization after the id `given`: one look into the index for each hour, and one look for open alerts.
   */
  const next = (given: string) => `SELECT min(n.organization) AS organization FROM (
        SELECT t.organization FROM generate_series($1::int8, $2::int8 - 1, ${hourMillis}) h (hour), LATERAL (
          SELECT organization FROM ${schema}.totals
          WHERE slot = 'hour' AND kind = 'messages' AND hour = h.hour AND organization > ${given}
          ORDER BY organization LIMIT 1) t
        UNION ALL
        (SELECT organization FROM ${schema}.alerts WHERE is_open AND organization > ${given}
          ORDER BY organization LIMIT 1)
      ) n`
  return {
    readAlerts: (organization: string): Statement => ({
      sql: `SELECT ${alerts.list} FROM ${schema}.alerts WHERE organization = $1`,
      params: [organization],
    }),

    readExaminable: ({ after, from, limit, to }: AlertQuery): Statement => ({
      sql: `WITH RECURSIVE found (organization) AS (
        ${next("$3::text")}
        UNION ALL
        SELECT n.organization FROM found f, LATERAL (${next("f.organization")}) n
        WHERE f.organization IS NOT NULL
      )
      SELECT f.organization, coalesce(a.checked_at, 0) AS checked_at
      FROM (SELECT organization FROM found WHERE organization IS NOT NULL LIMIT $4::int8) f
      LEFT JOIN LATERAL (SELECT checked_at FROM ${schema}.alerts
        WHERE organization = f.organization OFFSET 0) a ON true
      ORDER BY f.organization`,
      params: [from, to, after ?? "", limit],
    }),
  }
}
