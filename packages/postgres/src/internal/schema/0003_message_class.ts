import type { Migration } from "./migrate.ts"
import { optOuts } from "../rows/optOutRows.ts"
import * as Tables from "../rows/tables.ts"
import { create, createType } from "../rows/rowTable.ts"

/**
 * Older builds write senders without a class, which then send every class. They keep the class of other senders. They
 * cannot read the new events, and their changes of an organization drop its quiet hours. Use the new features only once
 * no older node is left.
 */
export const messageClass: Migration = {
  id: 3,
  name: "message class",
  breaking: false,
  statements: (schema) => [
    `ALTER TABLE ${schema}.brands ADD COLUMN class text`,
    createType(schema, Tables.brandsWithClass),
    ...create(schema, optOuts),
  ],
}
