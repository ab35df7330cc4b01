/** The rows of the ledger and of the event log about messages and a request. */
import type { Store } from "@countersign/core/ports/Store"
import { earlier, type TraceQuery } from "@countersign/core/ports/Search"
import * as Effect from "effect/Effect"
import { int8s } from "./connection/parameters.ts"
import type { Statement } from "./connection/pipeline.ts"
import type { Database } from "./database.ts"
import { decodeEvent, events } from "./rows/eventRows.ts"
import { int8, orNull, type Row } from "./rows/columns.ts"
import { foundIn } from "./rows/rowTable.ts"
import { entries } from "./rows/tables.ts"
import { halve } from "./statements/queries.ts"

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

const isOfMessage = "message_sequence = ANY ($4::int8[])"

/** The statements that read the ledger and the event log. `schema` is quoted. */
export const statements = (
  schema: string,
  organization: string,
  { examine, from, messages, requestId }: TraceQuery,
): readonly [Statement, Statement] => {
  const params = [organization, from, examine, int8s(messages)]
  const ofEvents = `(${isOfMessage} OR request_id = $5)`
  return [
    {
      sql: traceOf(schema, "entries", "1::int8, entries + 1", entries.of("e"), isOfMessage),
      params,
    },
    {
      sql: traceOf(schema, "events", "first_event, last_event + 1", events.of("e"), ofEvents),
      params: [...params, requestId],
    },
  ]
}

const until = orNull(int8)
const untilOf = ([row]: ReadonlyArray<Row>) => row && (until.decode(row, "until") ?? undefined)

export const makeTrace = ({ query, schema }: Database): Store["Service"]["trace"] =>
  Effect.fnUntraced(function* (organization, wanted) {
    const [ofEntries, ofEvents] = statements(schema, organization, wanted)
    const ledger = yield* query(ofEntries)
    const log = yield* query(ofEvents)
    return {
      entries: foundIn(ledger, entries.decode),
      events: foundIn(log, decodeEvent),
      until: earlier(untilOf(ledger), untilOf(log)),
    }
  })
