/** Queues codes and messages in the transactions of hosts with Effect. */
import type { NewQueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import * as Core from "@countersign/core/services/Outbox"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { compare } from "./internal/statements/queries.ts"

const lockOf = ({ orderKey, organization }: NewQueuedSend): string =>
  `${organization} ${orderKey ?? ""}`

/**
 * Adds sends to the outbox over the host's own client, whose database has the tables of the engine. In
 * `sql.withTransaction`, the engine sends them after the commit, and never if the transaction rolls back. The sends
 * come from `prepareCode` and `prepareMessage` of `@countersign/core/services/Outbox`. Dies if the engine has the
 * memory store. Several sends go in the order of their keys; the sends of one key keep their order.
 *
 * Do not dispatch a send before the commit: it is not found.
 */
export const enqueue: (
  sends: ReadonlyArray<NewQueuedSend>,
) => Effect.Effect<void, SqlError, Core.Outbox | SqlClient.SqlClient> = Effect.fn("Outbox.enqueue")(
  function* (sends: ReadonlyArray<NewQueuedSend>) {
    const outbox = yield* Core.Outbox
    const sql = yield* SqlClient.SqlClient
    // Each key has a lock. Transactions that take them in one order do not wait for each other without end.
    for (const send of sends.toSorted((a, b) => compare(lockOf(a), lockOf(b)))) {
      const statement = outbox.statementOf(send)
      if (statement === undefined) {
        return yield* Effect.die(
          new Error("The memory store has no transactions: use enqueue of the service Outbox"),
        )
      }
      yield* sql.unsafe(statement.text, statement.values)
    }
  },
)
