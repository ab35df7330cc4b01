/** The table of queued sends. Hosts insert into it in their own transactions. */
import * as Ids from "@countersign/core/domain/values/Ids"
import { ends, type QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"
import { phoneNumber, sealedText } from "./secretColumns.ts"

const { constrained, identifier, int4, int8, named, oneOf, orNull, text } = Columns

/** Takings change `dueAt` and `claim` without the organization's lock. */
export const outbox = rowTable<QueuedSend>(
  "outbox",
  ["id"],
  {
    organization: identifier(Ids.OrganizationId),
    id: identifier(String),
    phoneNumber,
    call: sealedText,
    orderKey: orNull(identifier(String)),
    queue: identifier(String),
    dueAt: orNull(int8),
    sendAt: int8,
    expiresAt: orNull(int8),
    createdAt: int8,
    // Hosts insert rows without it.
    claim: constrained(int4, () => "DEFAULT 0"),
    end: named("ending", orNull(oneOf(...ends))),
    failure: orNull(text),
    messageSequence: orNull(int8),
    endedAt: orNull(int8),
  },
  {
    // The order in which rows were added. Its default requires no right on a sequence, unlike that of a serial column.
    others: ["position int8 GENERATED ALWAYS AS IDENTITY"],
  },
)
