/** The statements that read the rows of the ledger and of the event log about messages and a request. */
import type { TraceQuery } from "@countersign/core/ports/RelatedRecords"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { events } from "../rows/eventRows.ts"
import { entries } from "../rows/tables.ts"
import { halve } from "./queries.ts"

/**
 * A binary search finds the first row of the time `$2`, because times never decrease along the sequence. `until` is
 * the time of the first row that is not examined. Returns one row if nothing is found.
 */
const traceOf = (schema: string, table: string, log: string, columns: string, condition: string) =>
  `WITH RECURSIVE edge (low, high) AS (
        SELECT ${log} FROM ${schema}.accounts WHERE organization = $1
        UNION ALL
        ${halve(schema, "edge", "m.at >= $2::int8", { table, time: "at" })}
      ), s AS MATERIALIZED (SELECT low FROM edge WHERE low = high)
      SELECT (SELECT at FROM ${schema}.${table} WHERE organization = $1 AND sequence = s.low + $3::int8) AS until, ${columns}
      FROM s LEFT JOIN LATERAL (SELECT * FROM ${schema}.${table}
        WHERE organization = $1 AND sequence >= s.low AND sequence < s.low + $3::int8 AND ${condition} OFFSET 0
      ) e ON true ORDER BY e.sequence`

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => {
  const isOfMessage = "message_sequence = ANY ($4::int8[])"
  const ofEntries = traceOf(schema, "entries", "1::int8, entries + 1", entries.of("e"), isOfMessage)
  const ofEvents = traceOf(
    schema,
    "events",
    "first_event, last_event + 1",
    events.of("e"),
    `(${isOfMessage} OR request_id = $5)`,
  )
  const parametersOf = (organization: string, { examine, from, messages }: TraceQuery) => [
    ...Parameters.list(organization, from, examine),
    Parameters.int8s(messages),
  ]
  return {
    entries: (organization: string, query: TraceQuery): Statement => ({
      sql: ofEntries,
      params: parametersOf(organization, query),
    }),
    events: (organization: string, query: TraceQuery): Statement => ({
      sql: ofEvents,
      params: [...parametersOf(organization, query), Parameters.text(query.requestId)],
    }),
  }
}
