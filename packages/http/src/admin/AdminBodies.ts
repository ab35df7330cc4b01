/**
 * The bodies of the admin API. The types are those of the promise API; on the wire, times are ISO 8601 and amounts
 * are decimals.
 */
import { types as eventTypes } from "@countersign/core/domain/events/EventTable"
import * as Schema from "effect/Schema"
import * as Fields from "./internal/fields.ts"

const { decimal, duration, textOrNull, time, timeOrNull } = Fields

const body = Fields.body

const { Boolean, Int, NullOr, String, Struct, optional } = Schema

const list = Schema.Array

/** A problem with a field, as the promise API has it. */
export const FieldFailure = body("FieldFailure", {
  code: String.annotate({ description: "What is wrong, for programs." }),
  params: Schema.Record(String, Schema.Unknown).annotate({
    description: "The parameters of the code.",
  }),
  message: String.annotate({ description: "What is wrong, for people, without the field." }),
})

/** An error. */
export const Failure = body("Failure", {
  error: String.annotate({ description: "What is wrong, for people." }),
  code: String.annotate({ description: "The error code, for programs." }),
  params: Schema.optionalKey(Schema.Record(String, Schema.Unknown)).annotate({
    description: "The values of the sentence, for translations.",
  }),
  details: Schema.optionalKey(Schema.Record(String, list(String))).annotate({
    description: "The sentences about each invalid field, by its name.",
  }),
  problems: Schema.optionalKey(Schema.Record(String, list(FieldFailure))).annotate({
    description: "The same with codes, for translations.",
  }),
  retryAfterSeconds: Schema.optionalKey(Int).annotate({
    description: "Seconds to wait before the next try.",
  }),
})

export const Balance = body("Balance", { balance: decimal, held: decimal, currency: String })

/** A change of the balance. Money needs a reason and a payment id. */
export const Booking = body("Booking", { amount: decimal, note: String, paymentId: String })

const entryKinds = ["top-up", "adjustment", "hold", "capture", "release"] as const

export const LedgerEntry = body("LedgerEntry", {
  sequence: Int,
  kind: Schema.Literals(entryKinds),
  amount: decimal,
  balance: decimal,
  held: decimal,
  messageSequence: NullOr(Int),
  note: textOrNull,
  paymentId: textOrNull,
  actor: textOrNull.annotate({ description: "Who booked it. Null for messages." }),
  at: time,
})

/** The balance after a booking, and the entry that records it. */
export const Booked = body("Booked", {
  ...Balance.fields,
  entry: LedgerEntry,
  isRepeat: Boolean.annotate({
    description: "Whether the payment was booked before, by the entry. Then nothing has changed.",
  }),
})

export const Ledger = body("Ledger", {
  entries: list(LedgerEntry).annotate({ description: "Newest first." }),
  next: NullOr(Int).annotate({ description: "`before` of the next page." }),
})

const balances = Struct({ balance: decimal, held: decimal })

const sum = Struct({ count: Int, amount: decimal })

export const Statement = body("Statement", {
  from: time,
  to: time,
  currency: String,
  opening: balances,
  entries: Struct({
    "top-up": sum,
    adjustment: sum,
    hold: sum,
    capture: sum,
    release: sum,
  }),
  closing: balances,
})

const eventType = Schema.Literals(eventTypes)

const webhookSettings = {
  description: optional(textOrNull),
  types: optional(NullOr(list(eventType))),
  isEnabled: optional(Boolean),
}

export const Webhook = body("Webhook", {
  id: String,
  url: String,
  description: textOrNull,
  types: NullOr(list(eventType)),
  isEnabled: Boolean,
  createdAt: time,
  status: Schema.Literals(["active", "failing", "gone"]),
  position: Int,
  retrying: Int,
  retries: list(Struct({ sequence: Int, attempts: Int, nextAt: time })),
  retryAt: timeOrNull,
  troubledSince: timeOrNull,
  slowUntil: timeOrNull,
  lastError: textOrNull,
  attempts: list(
    Struct({
      sequence: Int,
      at: time,
      millis: Int,
      status: NullOr(Int),
      error: textOrNull,
      answer: textOrNull,
    }),
  ),
  oldSecretUntil: timeOrNull,
})

export const WebhookList = body("WebhookList", { webhooks: list(Webhook) })

export const CreateWebhook = body("CreateWebhook", {
  url: String,
  after: optional(Int),
  ...webhookSettings,
})

/** A new webhook with its secret, which is not shown again. */
export const CreatedWebhook = body("CreatedWebhook", { ...Webhook.fields, secret: String })

export const UpdateWebhook = body("UpdateWebhook", { url: optional(String), ...webhookSettings })

export const RotateWebhookSecret = body("RotateWebhookSecret", { grace: optional(duration) })

export const WebhookSecret = body("WebhookSecret", { secret: String })

export const ReplayWebhook = body("ReplayWebhook", { after: optional(Int) })

export const ReplayedWebhook = body("ReplayedWebhook", { after: Int })

export const TestedWebhook = body("TestedWebhook", { isDelivered: Boolean, error: textOrNull })

export const Total = body("Total", {
  at: time,
  kind: Schema.Literals(["messages", "requests", "bookings", "deliveries", "refusals"]),
  channel: Schema.Literals(["sms", "whatsapp", ""]),
  gateway: String,
  country: String,
  outcome: String,
  count: Int,
  amount: decimal,
  refunded: decimal,
})

export const Totals = body("Totals", { totals: list(Total) })

const values = NullOr(Schema.Record(String, Schema.Unknown))

export const AuditEntry = body("AuditEntry", {
  sequence: Int,
  at: time,
  actor: String,
  origin: textOrNull,
  action: String,
  target: textOrNull,
  before: values,
  after: values,
  reason: textOrNull,
})

export const AuditPage = body("AuditPage", {
  entries: list(AuditEntry),
  first: Int,
  last: Int,
  next: NullOr(Int).annotate({ description: "`before` of the next page." }),
})
