import type { Store } from "@countersign/core/ports/Store"
import { earlier } from "@countersign/core/ports/Trace"
import * as Effect from "effect/Effect"
import type { Query } from "./connection/query.ts"
import { decodeEvent } from "./rows/eventRows.ts"
import { int8, orNull, type Row } from "./rows/columns.ts"
import * as Tables from "./rows/tables.ts"
import * as Traces from "./statements/traces.ts"

const until = orNull(int8)

const foundIn = <A>(rows: ReadonlyArray<Row>, decode: (row: Row) => A) => {
  const [row] = rows
  if (row === undefined) return { rows: [], until: undefined }
  return {
    rows: row["sequence"] === null ? [] : rows.map(decode),
    until: until.decode(row, "until") ?? undefined,
  }
}

/** `schema` is quoted. */
export const makeTrace = (schema: string, query: Query): Store["Service"]["trace"] => {
  const statements = Traces.make(schema)
  return Effect.fnUntraced(function* (organization, wanted) {
    const entries = foundIn(
      yield* query(statements.entries(organization, wanted)),
      Tables.entries.decode,
    )
    const events = foundIn(yield* query(statements.events(organization, wanted)), decodeEvent)
    return {
      entries: entries.rows,
      events: events.rows,
      until: earlier(entries.until, events.until),
    }
  })
}
