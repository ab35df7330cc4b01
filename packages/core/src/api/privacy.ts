/** The operations on what is stored of a phone number. */
import * as Schema from "effect/Schema"
import { ends } from "../domain/outbox/QueuedSend.ts"
import { loggedEvent } from "./events.ts"
import * as Fields from "./Fields.ts"
import { logEntryFields } from "./messages.ts"
import { operation, post } from "./Operation.ts"
import { refusalFields } from "./refusals.ts"
import { messageReport } from "./reports.ts"

const { Array, Boolean, Int, Literal, Literals, NullOr, String, Struct } = Schema
const { field, record, textOrNull, time, timeOrNull } = Fields

const erased = record("ErasedNumber", "The result of an erasure.", {
  messages: Int,
  verifications: Int,
  reports: Int,
  events: Int,
  answers: Int,
  refusals: Int,
  left: field(
    Int,
    "Number of rows that are still needed: messages without a final outcome, and requests that began during the erasure. Erase again until none is left, after the settlement deadline at the latest.",
  ),
})

const message = Struct({
  type: Literal("message"),
  ...logEntryFields,
  reports: field(Array(messageReport), "The delivery reports on the message."),
})

const verification = Struct({
  type: Literal("verification"),
  requestId: String,
  phoneNumber: String,
  channel: Fields.channel,
  purpose: textOrNull,
  metadata: NullOr(Fields.metadata),
  status: field(
    Literals(["pending", "verified", "failed"]),
    "As stored: a request that has expired is `pending`.",
  ),
  attemptsRemaining: Int,
  resends: field(Int, "Number of times that the code was sent again."),
  messageSequences: field(
    Array(Int),
    "The `sequence` of each log entry that carried the code, oldest first.",
  ),
  prefix: field(
    textOrNull,
    "The first digits of the number, for which fraud detection counts the code.",
  ),
  checks: field(Array(time), "Times of recent checks, if they are limited."),
  createdAt: time,
  sentAt: field(time, "When the code was last sent."),
  expiresAt: time,
  verifiedAt: timeOrNull,
  consumedAt: timeOrNull,
})

const answer = Struct({
  type: Literal("answer"),
  answer: field(textOrNull, "The stored answer of a call with an idempotency key, as JSON text."),
  messageSequence: NullOr(Int),
  requestId: textOrNull,
  expiresAt: time,
})

const queued = Struct({
  type: Literal("queued"),
  id: field(String, "The id of the request or of the message that it becomes."),
  phoneNumber: String,
  call: field(String, "The fields of the call, as JSON text."),
  orderKey: textOrNull,
  end: field(NullOr(Literals(ends)), "How it has ended; `null` while it waits."),
  failure: field(textOrNull, "Why it was refused, as JSON text."),
  createdAt: time,
  endedAt: timeOrNull,
})

const limits = Struct({
  type: Literal("limits"),
  isErased: field(
    Boolean,
    "Whether an erasure has left these limits, under a keyed digest of the number.",
  ),
  requests: field(Array(time), "Times of recent requests for a code."),
  wrongCodes: field(Array(time), "Times of recent wrong codes."),
  wrongCodesSinceSuccess: field(Int, "Number of wrong codes since the last right one."),
  clients: field(
    Array(Struct({ digest: String, verifiedAt: time })),
    "Keyed digests of the clients that have verified the number.",
  ),
})

/** A part of what is stored of a phone number. */
export const personalRecord = Schema.Union([
  message,
  verification,
  Struct({ type: Literal("event"), event: loggedEvent }),
  Struct({ type: Literal("refusal"), ...refusalFields }),
  answer,
  limits,
  queued,
]).annotate({
  named: "PersonalRecord",
  documentation: "A part of what is stored of a phone number.",
})

export type PersonalRecord = typeof personalRecord.Type

export const privacy = {
  erase: operation({
    summary: "Erase a phone number",
    meaning:
      "Cancels its pending requests, and removes the number, texts and your own words from every row of the organization. The ledger and the totals stay as they are. Safe to repeat.",
    input: Fields.ofPhoneNumber,
    output: erased,
    errors: ["invalid_request"],
    admin: post("privacy.erase", "admin", "/organizations/:organization/erase", {
      extra: { reason: String },
      example: { phoneNumber: "+8801712345678", reason: "the owner asked for it" },
    }),
  }),
}
