import type { Store } from "@countersign/core/ports/Store"
import { earlier } from "@countersign/core/ports/RelatedRecords"
import * as Effect from "effect/Effect"
import type { Query } from "./connection/query.ts"
import { decodeEvent } from "./rows/eventRows.ts"
import { int8, orNull, type Row } from "./rows/columns.ts"
import { foundIn } from "./rows/rowTable.ts"
import * as Tables from "./rows/tables.ts"
import * as Traces from "./statements/traces.ts"

const until = orNull(int8)

const untilOf = ([row]: ReadonlyArray<Row>) => row && (until.decode(row, "until") ?? undefined)

/** `schema` is quoted. */
export const makeTrace = (schema: string, query: Query): Store["Service"]["trace"] => {
  const statements = Traces.make(schema)
  return Effect.fnUntraced(function* (organization, wanted) {
    const entries = yield* query(statements.entries(organization, wanted))
    const events = yield* query(statements.events(organization, wanted))
    return {
      entries: foundIn(entries, Tables.entries.decode),
      events: foundIn(events, decodeEvent),
      until: earlier(untilOf(entries), untilOf(events)),
    }
  })
}
