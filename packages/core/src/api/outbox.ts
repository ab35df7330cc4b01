/** The operations on sends that wait in the outbox. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { ends } from "../domain/outbox/QueuedSend.ts"
import * as Fields from "./Fields.ts"
import { get, type Inputs, operation, post } from "./Operation.ts"
import { messages } from "./messages.ts"
import { verifications } from "./verifications.ts"

const { Array, Int, Literals, NullOr } = Schema
const { field, optional, optionalText, record, text, textOrNull, time, timeOrNull } = Fields

const orderKey = optionalText(
  "Sends with the same key go one after another, in the order of their commits; 1 to 128 characters. Transactions with the same key wait for each other.",
  "in any order",
)

export const prepareVerification = record("PrepareVerification", "A code that is sent later.", {
  ...Struct.omit(verifications.send.input.fields, ["idempotencyKey"]),
  orderKey,
})

const sendAt = "When it is sent, at most 35 days ahead. A time in the past is now."

export const prepareMessage = record("PrepareMessage", "A message that is sent later.", {
  ...Struct.omit(messages.send.input.fields, ["idempotencyKey"]),
  id: optionalText(
    "An id of your own, such as a digest of what the message is for: `msg_` and 44 digits of `0-9` and `a-f`. A second message with it is not queued.",
    "a new one",
  ),
  orderKey,
  sendAt: optional(time, sendAt, "at once"),
  expiresAt: optional(time, "From then on, it is dropped instead.", "never"),
})

const queuedMessage = record("QueuedMessage", "A message that was queued.", {
  id: text("The id from `prepare`."),
  phoneNumber: text("E.164 with its plus; `erased:` and its country once it was sent or erased."),
  channel: field(Fields.channel, "The channel that will carry it."),
  text: text("The text; empty once it was sent or erased."),
  status: field(
    Literals(["queued", ...ends]).annotate({ named: "QueuedStatus" }),
    "`sent`: see `sequence`. `refused`: see `reason`. `expired`: it was not sent in time.",
  ),
  sendAt: field(timeOrNull, "When it is to be sent; `null`: at once."),
  expiresAt: field(timeOrNull, "When it is dropped; `null`: never."),
  orderKey: field(textOrNull, "The key that it was prepared with."),
  reason: field(textOrNull, "The code of the error, if it was refused."),
  sequence: field(NullOr(Int), "Its position in the log, once it was sent."),
  createdAt: field(time, "When it was prepared."),
  endedAt: field(timeOrNull, "When it was sent, refused, cancelled or dropped."),
})

const messageRef = Fields.input("QueuedMessageRef", "Selects a queued message.", {
  id: text("The id from `prepare`."),
})

const path = "/organizations/:organization/queued-messages"

const audit = (action: string) => ({ action: `message.${action}`, target: "id" })

/** The operations on queued messages. */
export const queuedMessages = {
  dispatch: operation({
    summary: "Send a queued message now",
    meaning:
      "Waits until the gateway has taken it. A message that was sent already gets the answer of its first send.",
    input: messageRef,
    output: messages.send.output,
    errors: [...messages.send.errors, "message_not_found", "not_queued"],
  }),
  getQueued: operation({
    summary: "Read a queued message",
    meaning: "Also one that was sent, until retention drops it.",
    input: messageRef,
    output: queuedMessage,
    errors: ["message_not_found"],
    admin: get("messages.getQueued", "read", `${path}/:id`),
  }),
  listQueued: operation({
    summary: "List the queued messages of no batch",
    meaning: "In the order in which they were queued.",
    input: Fields.input("ListQueuedMessages", "Selects a page of the outbox.", {
      cursor: Fields.cursor,
      limit: Fields.limit,
    }),
    output: record("QueuedMessages", "A page of the outbox.", {
      messages: Array(queuedMessage),
      next: Fields.next,
    }),
    errors: ["invalid_request"],
    listing: { items: "messages", from: "cursor" },
    admin: get("messages.listQueued", "read", path),
  }),
  cancel: operation({
    summary: "Cancel a queued message",
    meaning: "Either it is cancelled or it is sent, never both.",
    input: messageRef,
    output: queuedMessage,
    errors: ["message_not_found", "not_queued"],
    admin: post("messages.cancelQueued", "admin", `${path}/:id/cancel`, {
      audit: audit("cancelled"),
    }),
  }),
  reschedule: operation({
    summary: "Change when a queued message is sent",
    meaning: "Either it is sent at the new time or it was sent before, never both.",
    input: Fields.input("RescheduleMessage", "A queued message and its new time.", {
      id: text("The id from `prepare`."),
      sendAt: field(time, sendAt),
    }),
    output: queuedMessage,
    errors: ["invalid_request", "message_not_found", "not_queued"],
    admin: post("messages.rescheduleQueued", "admin", `${path}/:id/reschedule`, {
      audit: audit("rescheduled"),
      example: { sendAt: "2026-01-31T09:30:00.000Z" },
    }),
  }),
}

/** The operations on queued codes. A queued code is read and cancelled like any other. */
export const queuedVerifications = {
  dispatch: operation({
    summary: "Send a queued code now",
    meaning:
      "Waits until the gateway has taken it. A code that was sent already gets the answer of its first send.",
    input: Fields.input("DispatchVerification", "Selects a queued code.", {
      requestId: text("The id from `prepare`."),
    }),
    output: verifications.send.output,
    errors: [...verifications.send.errors, "request_not_found", "not_queued"],
  }),
}

type OfMessages = Inputs<typeof queuedMessages>

export type QueuedMessage = typeof queuedMessage.Type
export type QueuedMessageRef = OfMessages["getQueued"]
export type ListQueuedMessages = OfMessages["listQueued"]
export type QueuedMessagePage = (typeof queuedMessages)["listQueued"]["output"]["Type"]
export type RescheduleMessage = OfMessages["reschedule"]
export type DispatchVerification = Inputs<typeof queuedVerifications>["dispatch"]
export type PrepareVerification = typeof prepareVerification.Type
export type PrepareMessage = typeof prepareMessage.Type
