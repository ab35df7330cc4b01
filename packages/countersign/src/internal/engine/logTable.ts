/** The members of a line of JSON: one row for each, in their order. The line and the documents follow from the table. */
import type { LogRecord } from "../types/logging.ts"

export interface LogRow {
  readonly type: string
  readonly meaning: string
  /** Returns the value; `undefined` leaves the member out. */
  readonly of: (record: LogRecord) => unknown
}

export const logTable = {
  time: {
    type: "text",
    meaning: "When it was written, ISO 8601 in UTC.",
    of: ({ time }) => time.toISOString(),
  },
  level: { type: "text", meaning: "`info`, `warn` or `error`.", of: ({ level }) => level },
  event: {
    type: "text",
    meaning: "The sentence for what has happened, the same each time. Search for it.",
    of: ({ event }) => event,
  },
  fields: {
    type: "object",
    meaning: "The values that belong to it: ids of organizations, names of gateways.",
    of: ({ fields }) => (Object.keys(fields).length === 0 ? undefined : fields),
  },
  error: { type: "text", meaning: "The cause, if there is one.", of: ({ error }) => error },
  repeated: {
    type: "number",
    meaning: "How many of these events the line stands for, beside those that were written.",
    of: ({ repeated }) => repeated,
  },
  traceId: {
    type: "text",
    meaning: "The trace in which it has happened, if one is recorded.",
    of: ({ traceId }) => traceId,
  },
  spanId: {
    type: "text",
    meaning: "The span in which it has happened, if one is recorded.",
    of: ({ spanId }) => spanId,
  },
} satisfies Readonly<Record<string, LogRow>>

const rows: ReadonlyArray<readonly [string, LogRow]> = Object.entries(logTable)

export const jsonOf = (record: LogRecord): string =>
  JSON.stringify(Object.fromEntries(rows.map(([name, { of }]) => [name, of(record)])))
