/** The operations on batches: messages of one text to many recipients. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Domain from "../domain/outbox/Batch.ts"
import { messageClasses } from "../domain/values/MessageClass.ts"
import { messageStatuses } from "../domain/messages/MessageStatus.ts"
import * as Fields from "./Fields.ts"
import { messages } from "./messages.ts"
import { prepareMessage } from "./outbox.ts"
import { get, type Inputs, operation, post } from "./Operation.ts"

const { Array, Boolean, Int, Literals, NullOr, Record, String } = Schema
const { field, input, money, optional, optionalText, record, text, textOrNull, timeOrNull } = Fields

const messageClass = Literals(messageClasses).annotate({ named: "MessageClass" })

const pace = Int.annotate({ bounds: Domain.paces })

/** The fields of a batch but its recipients. */
export const sendMany = record("SendMany", "A text to many recipients.", {
  ...Struct.omit(messages.send.input.fields, ["phoneNumber", "text"]),
  text: optionalText(
    "The text, with placeholders such as `{name}`, which the `values` of a recipient fill. Required, unless each recipient has its own.",
    "the text of each recipient",
  ),
  class: optional(messageClass, "Transactional, or promotional.", "`transactional`"),
  ...Struct.pick(prepareMessage.fields, ["sendAt", "expiresAt"]),
  pace: optional(pace, "Maximum number of messages a second, 1 to 10,000.", "no bound"),
})

const recipientRefused = record("RefusedRecipient", "A recipient that is not valid.", {
  position: field(Int, "Its position in the recipients, from 1."),
  phoneNumber: text("Its phone number, as it was given."),
  reason: text("The problems of the recipient, in a sentence."),
  problems: field(
    Record(String, Array(Fields.fieldFailure)),
    "The same with codes, by the names of its fields, for translations.",
  ),
})

const estimate = record("BatchEstimate", "The price of a batch, and the balance.", {
  segments: field(Int, "Segments of all messages."),
  price: field(money, "A decimal."),
  balance: field(money, "The available balance."),
  isCovered: field(Boolean, "Whether the balance covers the price."),
})

const counts = {
  recipients: field(Int, "Messages of the batch."),
  duplicates: field(Int, "Recipients that were given before, and get one message."),
}

const refusedRows = {
  refused: field(Int, "Recipients that are not valid, and get nothing."),
  refusedRows: field(Array(recipientRefused), "The first 100 of them."),
}

/** The result of `sendMany`. */
export const sentMany = record("SentMany", "A batch that is written.", {
  batchId: text("The id of the batch."),
  ...counts,
  ...refusedRows,
  estimate,
})

/** The result of `estimate`. */
export const estimated = record("EstimatedMany", "The size and the price of a batch.", {
  ...counts,
  ...refusedRows,
  estimate,
})

const outcomeCount = record("BatchOutcome", "Messages of a batch with the same outcome.", {
  outcome: field(
    Literals([...messageStatuses, ...Domain.drops]).annotate({ named: "BatchOutcomeName" }),
    "The status of the messages, or why they were not sent.",
  ),
  count: field(Int, "Their number."),
  amount: field(money, "The charges of these messages, a decimal."),
  refunded: field(money, "The part of it that was given back."),
})

const batch = record("Batch", "A text to many recipients.", {
  id: text("The id."),
  status: field(
    Literals(Domain.batchStatuses).annotate({ named: "BatchStatus" }),
    "`writing`: its recipients are still being written, and nothing is sent; after 24 hours it is cancelled. `done`: none of its messages waits.",
  ),
  pausedReason: field(
    NullOr(Literals(Domain.pauseReasons)),
    "Why it is paused. `balance`: the balance did not cover the next message.",
  ),
  text: text("The text, with its placeholders."),
  class: field(messageClass, "Transactional, or promotional."),
  channel: field(Fields.channel, "The channel."),
  sender: field(textOrNull, "The sender that was asked for."),
  sendAt: field(timeOrNull, "When it is sent at the earliest; `null`: at once."),
  expiresAt: field(timeOrNull, "When messages that still wait are dropped; `null`: never."),
  pace: field(NullOr(Int), "Maximum number of messages a second; `null`: no bound."),
  ...counts,
  refused: refusedRows.refused,
  queued: field(Int, "Messages that still wait."),
  outcomes: field(Array(outcomeCount), "The other messages, by their outcome."),
  segments: field(Int, "Segments of all messages."),
  estimate: field(money, "The price of all messages, a decimal."),
  spent: field(money, "The charges of the messages so far, minus refunds."),
  secondsLeft: field(
    NullOr(Int),
    "How long it still takes; `null`: not known, because it is not running, or has sent nothing for a minute, such as in quiet hours.",
  ),
  secondsLeftBy: field(
    NullOr(Literals(["pace", "rate"])),
    "Where `secondsLeft` comes from: the pace, or the rate while it was sending.",
  ),
  createdAt: field(Fields.time, "When it was made."),
  startedAt: field(timeOrNull, "When it began to send."),
  endedAt: field(timeOrNull, "When it was done or cancelled."),
})

const ref = input("BatchRef", "Selects a batch.", { id: text("The id of the batch.") })

const path = "/organizations/:organization/batches"

const changing = <const Name extends "pause" | "resume" | "cancel">(
  name: Name,
  past: string,
  summary: string,
  meaning: string,
) =>
  operation({
    summary,
    meaning,
    input: ref,
    output: batch,
    errors: ["batch_not_found", "batch_unchangeable"],
    admin: post(`batches.${name}`, "admin", `${path}/:id/${name}`, {
      audit: { action: `batch.${past}`, target: "id" },
    }),
  })

/** The operations on batches. */
export const batches = {
  list: operation({
    summary: "List batches",
    meaning: "Newest first.",
    input: input("ListBatches", "Selects a page of the batches.", {
      cursor: Fields.cursor,
      limit: Fields.limit,
    }),
    output: record("Batches", "A page of the batches.", {
      batches: field(Array(batch), "Newest first."),
      next: Fields.next,
    }),
    errors: ["invalid_request"],
    listing: { items: "batches", from: "cursor" },
    admin: get("batches.list", "read", path),
  }),
  get: operation({
    summary: "Read a batch",
    meaning: "Costs the same for any number of recipients.",
    input: ref,
    output: batch,
    errors: ["batch_not_found"],
    admin: get("batches.get", "read", `${path}/:id`),
  }),
  pause: changing(
    "pause",
    "paused",
    "Pause a batch",
    "Nothing more is charged from then on. Messages that are charged are sent.",
  ),
  resume: changing("resume", "resumed", "Resume a batch", "It sends again, at its pace."),
  cancel: changing(
    "cancel",
    "cancelled",
    "Cancel a batch",
    "Nothing more is charged from then on. Messages that are charged are sent.",
  ),
}

/** Maximum size of a request with recipients: about 100,000 of them. */
const maxBodyBytes = 8 * 1_024 * 1_024

const recipients = Array(
  record("BatchRecipient", "A recipient of a batch.", {
    phoneNumber: text("E.164, with or without its plus."),
    text: optionalText("The text for this recipient.", "that of the batch"),
    values: optional(Record(String, String), "The values of the placeholders of the text.", "none"),
  }),
)

const example = {
  text: "Hello {name}",
  recipients: [{ phoneNumber: "+8801712345678", values: { name: "Amir" } }],
}

/** The operations of the admin API that take all recipients in one request. Hosts call `messages.sendMany`. */
export const batchRequests = {
  sendMany: operation({
    summary: "Send a batch",
    meaning:
      "Writes all recipients, and begins to send. A repeat with the same key and the same body is answered the same.",
    input: input("SendBatch", "A text and its recipients.", {
      ...sendMany.fields,
      idempotencyKey: text("Your own key of the batch; 1 to 200 characters."),
      recipients: field(recipients, "The recipients, in one body of at most 8 MiB."),
    }),
    output: sentMany,
    errors: ["invalid_request", "sender_unusable", "idempotency_mismatch", "batch_unchangeable"],
    admin: post("batches.send", "admin", path, {
      maxBodyBytes,
      audit: { action: "batch.sent", target: "idempotencyKey" },
      example: { ...example, idempotencyKey: "sale-2026-11" },
    }),
  }),
  estimate: operation({
    summary: "Estimate a batch",
    meaning: "Tells what the batch would send, and its price. Writes and sends nothing.",
    input: input("EstimateBatch", "A text and its recipients.", {
      ...sendMany.fields,
      recipients: field(recipients, "The recipients, in one body of at most 8 MiB."),
    }),
    output: estimated,
    errors: ["invalid_request", "sender_unusable", "idempotency_mismatch"],
    admin: post("batches.estimate", "admin", "/organizations/:organization/batch-estimate", {
      maxBodyBytes,
      example,
    }),
  }),
}

type OfBatches = Inputs<typeof batches>

export type Batch = typeof batch.Type
export type BatchRef = OfBatches["get"]
export type ListBatches = OfBatches["list"]
export type BatchPage = (typeof batches)["list"]["output"]["Type"]
export type SendMany = typeof sendMany.Type
export type SentMany = typeof sentMany.Type
export type EstimatedMany = typeof estimated.Type
export type RefusedRecipient = typeof recipientRefused.Type
