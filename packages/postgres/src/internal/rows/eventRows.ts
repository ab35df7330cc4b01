/** The event log. Rows are only inserted, erased, and deleted from the oldest on. */
import { codes } from "@countersign/core/domain/errors/ErrorCode"
import { type LoggedEvent, settings } from "@countersign/core/domain/events/Event"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import * as Schema from "effect/Schema"
import { identifier, int8, jsonb, orNull, type Row, text } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

/** The fields of frequent events have columns of their own, because JSON takes longer to write. */
export interface EventRow extends Pick<LoggedEvent, "organization" | "sequence" | "at"> {
  readonly type: string
  readonly requestId: string | null
  readonly messageSequence: number | null
  readonly phoneNumber: string | null
  readonly purpose: string | null
  readonly metadata: string | null
  readonly channel: string | null
  readonly status: string | null
  /** The other fields of the event. */
  readonly data: object | null
}

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

export const events = rowTable<EventRow>("events", ["sequence"], {
  organization: identifier(OrganizationId),
  sequence: int8,
  at: int8,
  type: text,
  requestId: orNull(text),
  messageSequence: orNull(int8),
  phoneNumber: orNull(text),
  purpose: orNull(text),
  metadata: orNull(text),
  channel: orNull(text),
  status: orNull(text),
  data: orNull(jsonb<object>(decodeObject)),
})

export const encodeEvent = (event: LoggedEvent): EventRow => {
  const request = "requestId" in event ? event : undefined
  return {
    organization: event.organization,
    sequence: event.sequence,
    at: event.at,
    type: event._tag,
    requestId: request?.requestId ?? null,
    messageSequence: "messageSequence" in event ? event.messageSequence : null,
    phoneNumber: request?.phoneNumber ?? null,
    purpose: request?.purpose ?? null,
    metadata: request?.metadata ?? null,
    channel: "channel" in event ? event.channel : null,
    status: "status" in event ? event.status : null,
    data: dataOf(event),
  }
}

const dataOf = (event: LoggedEvent): object | null => {
  switch (event._tag) {
    case "VerificationSent":
    case "Verified":
    case "Cancelled":
    case "Consumed":
    case "MessageSettled":
      return null
    case "Failed":
      return { reason: event.reason }
    case "Refunded":
      return { amount: event.amount }
    default: {
      const { _tag, at: _at, organization: _id, sequence: _sequence, ...data } = event
      return data
    }
  }
}

const { Boolean, Int, Literals, NullOr, String, Struct } = Schema

const amount = Int.pipe(Schema.brand("@countersign/core/domain/values/Money"))
const channel = Literals(["sms", "whatsapp"])
const key = {
  id: String.pipe(Schema.brand("@countersign/core/ApiKeyId")),
  name: String,
}
const brand = Struct({
  id: String.pipe(Schema.brand("@countersign/core/BrandId")),
  kind: Literals(["masking", "non-masking", "whatsapp"]),
  sender: String,
  status: Literals(["pending", "approved", "rejected", "withdrawn"]),
  isDefault: Boolean,
})
const status = Literals(messageStatuses)
const code = Literals([...Object.values(codes), "internal"])

const all = {
  organization: String.pipe(Schema.brand("@countersign/core/OrganizationId")),
  sequence: Int,
  at: Int,
}
const ofRequest = {
  ...all,
  requestId: String.pipe(Schema.brand("@countersign/core/RequestId")),
  phoneNumber: String,
  purpose: NullOr(String),
  metadata: NullOr(String),
}
const ofMessage = { ...all, messageSequence: Int }
const ofBooking = { ...all, amount, balance: amount, note: NullOr(String) }

const ofWebhook = {
  ...all,
  webhookId: String.pipe(Schema.brand("@countersign/core/WebhookId")),
}

const decodeLogged: (row: unknown) => LoggedEvent = Schema.decodeUnknownSync(
  Schema.Union([
    Schema.TaggedStruct("VerificationSent", { ...ofRequest, channel }),
    Schema.TaggedStruct("Verified", ofRequest),
    Schema.TaggedStruct("Failed", { ...ofRequest, reason: Literals(["attempts", "sending"]) }),
    Schema.TaggedStruct("Cancelled", ofRequest),
    Schema.TaggedStruct("Consumed", ofRequest),
    Schema.TaggedStruct("MessageSettled", { ...ofMessage, channel, status }),
    Schema.TaggedStruct("Refunded", { ...ofMessage, amount }),
    Schema.TaggedStruct("ToppedUp", ofBooking),
    Schema.TaggedStruct("Adjusted", ofBooking),
    Schema.TaggedStruct("BalanceLow", { ...all, balance: amount, threshold: amount }),
    Schema.TaggedStruct("FraudSuspected", {
      ...all,
      prefix: String,
      reason: Literals(["velocity", "conversion"]),
      action: Literals(["record", "deny"]),
      sent: Int,
      verified: Int,
    }),
    Schema.TaggedStruct("KeyCreated", {
      ...all,
      key: Struct({ ...key, environment: Literals(["live", "test"]) }),
    }),
    Schema.TaggedStruct("KeyRevoked", { ...all, key: Struct(key) }),
    Schema.TaggedStruct("BrandChanged", { ...all, brand }),
    Schema.TaggedStruct("NumberErased", {
      ...all,
      messages: Int,
      verifications: Int,
      reports: Int,
      events: Int,
      answers: Int,
      refusals: Int,
    }),
    Schema.TaggedStruct("CallsRefused", {
      ...all,
      refusals: Schema.Array(Struct({ code, reason: NullOr(String), count: Int })),
    }),
    Schema.TaggedStruct("SettingsChanged", {
      ...all,
      settings: Schema.Array(Literals(settings)),
    }),
    Schema.TaggedStruct("WebhookCreated", ofWebhook),
    Schema.TaggedStruct("WebhookChanged", ofWebhook),
    Schema.TaggedStruct("WebhookRemoved", ofWebhook),
    Schema.TaggedStruct("WebhookFailing", { ...ofWebhook, reason: Literals(["failed", "gone"]) }),
  ]),
)

/** Throws for a row that no version has written. */
export const decodeEvent = (row: Row): LoggedEvent => {
  const { data, type, ...columns } = events.decode(row)
  return decodeLogged({ ...columns, ...data, _tag: type })
}
