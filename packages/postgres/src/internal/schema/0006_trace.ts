import type { Migration } from "./migrate.ts"
import { createType } from "../rows/rowTable.ts"
import * as Tables from "../rows/tables.ts"

/** Builds before it write messages with the type `messages_row_2`, and know no trace. */
export const addTrace: Migration = {
  id: 6,
  name: "trace",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.messages ADD COLUMN traceparent text`,
    createType(schema, Tables.messages),
  ],
}
