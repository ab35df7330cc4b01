import type { Migration } from "./migrate.ts"
import { create, createType } from "../rows/rowTable.ts"
import * as Tables from "../rows/tables.ts"
import { outbox } from "../rows/outboxRows.ts"

/** Builds before it write messages with the type `messages_row`, and know neither class nor batch. */
export const addOutbox: Migration = {
  id: 2,
  name: "outbox",
  breaking: false,
  statements: (schema) => [
    ...create(schema, outbox),
    // For taking what is due, and for finding the queues that have some.
    `CREATE INDEX outbox_due_at ON ${schema}.outbox (organization, queue, due_at, position)
      WHERE due_at IS NOT NULL`,
    // For finding the first one with an order key.
    `CREATE INDEX outbox_order_key ON ${schema}.outbox (organization, order_key, position)
      WHERE due_at IS NOT NULL AND order_key IS NOT NULL`,
    // For pages of a queue. The condition holds for every row. It hides the index from statements that name only one of the two.
    `CREATE INDEX outbox_position ON ${schema}.outbox (organization, queue, position)
      WHERE queue IS NOT NULL AND position IS NOT NULL`,
    // For retention.
    `CREATE INDEX outbox_ended_at ON ${schema}.outbox (organization, ended_at)
      WHERE ended_at IS NOT NULL`,
    // For exports and erasures. A message that is sent has the number from then on.
    `CREATE INDEX outbox_phone_number ON ${schema}.outbox (organization, phone_number, id)
      WHERE NOT starts_with(phone_number, 'erased:')`,
    `ALTER TABLE ${schema}.messages ADD COLUMN class text, ADD COLUMN batch text`,
    createType(schema, Tables.secondMessages),
  ],
}
