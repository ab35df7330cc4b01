/** The tables of batches: messages of one text to many recipients. */
import * as Batches from "@countersign/core/domain/outbox/Batch"
import { messageClasses } from "@countersign/core/domain/values/MessageClass"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { channels } from "@countersign/core/domain/values/Channel"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { bool, bytea, constrained, identifier, int4, int8, oneOf, orNull, parsed, text } = Columns

const organization = identifier(Ids.OrganizationId)
const money = parsed(int8, Money.fromUnits)

/** A commit that takes messages of a batch with a pace changes it, and one that sends some twice a minute. */
export const batches = rowTable<Batches.Batch>(
  "batches",
  ["id"],
  {
    organization,
    id: identifier(String),
    status: oneOf(...Batches.batchStatuses),
    pausedReason: orNull(oneOf(...Batches.pauseReasons)),
    isOpen: bool,
    text,
    class: oneOf(...messageClasses),
    channel: oneOf(...channels),
    sender: orNull(text),
    sendAt: orNull(int8),
    expiresAt: orNull(int8),
    pace: orNull(int4),
    fingerprint: bytea,
    salt: bytea,
    blocks: int4,
    chain: bytea,
    recipients: int4,
    duplicates: int4,
    refused: int4,
    segments: int8,
    estimate: money,
    createdAt: int8,
    startedAt: orNull(int8),
    endedAt: orNull(int8),
    pacedUntil: int8,
    activeAt: int8,
    idleFor: int8,
  },
  { fillFactor: 50 },
)

const outcome = oneOf(...messageStatuses, ...Batches.drops)

/** Every message of a batch adds to a row, so its page has room for many versions of it. */
export const batchTotals = rowTable<Batches.BatchTotal>(
  "batch_totals",
  ["batch", "outcome"],
  {
    organization,
    batch: identifier(String),
    outcome: constrained(outcome, () => 'COLLATE "C"'),
    count: int8,
    amount: money,
    refunded: money,
  },
  { fillFactor: 50 },
)
