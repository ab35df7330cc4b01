/** The event log. Rows are only inserted, and deleted from the oldest on. */
import { type LoggedEvent, settings } from "@countersign/core/domain/Event"
import { OrganizationId } from "@countersign/core/domain/Ids"
import * as Schema from "effect/Schema"
import { identifier, int8, jsonb, type Row, text } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

export interface EventRow extends Pick<LoggedEvent, "organization" | "sequence" | "at"> {
  readonly type: string
  /** The other fields of the event. */
  readonly data: object
}

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

export const events = rowTable<EventRow>("events", ["sequence"], {
  organization: identifier(OrganizationId),
  sequence: int8,
  at: int8,
  type: text,
  data: jsonb<object>((value) => value, decodeObject),
})

export const encodeEvent = ({
  _tag,
  at,
  organization,
  sequence,
  ...data
}: LoggedEvent): EventRow => ({
  organization,
  sequence,
  at,
  type: _tag,
  data,
})

const { Boolean, Int, Literals, NullOr, String, Struct } = Schema

const amount = Int.pipe(Schema.brand("@countersign/core/domain/Money"))
const channel = Literals(["sms", "whatsapp"])
const key = {
  id: String.pipe(Schema.brand("@countersign/core/ApiKeyId")),
  name: String,
}
const brand = Struct({
  id: String.pipe(Schema.brand("@countersign/core/BrandId")),
  kind: Literals(["masking", "non-masking", "whatsapp"]),
  sender: String,
  status: Literals(["pending", "approved", "rejected"]),
  isDefault: Boolean,
})
const status = Literals([
  "pending",
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "unknown",
  "rejected",
])

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
    Schema.TaggedStruct("SettingsChanged", {
      ...all,
      settings: Schema.Array(Literals(settings)),
    }),
  ]),
)

/** Throws for a row that no version has written. */
export const decodeEvent = (row: Row): LoggedEvent => {
  const { data, type, ...place } = events.decode(row)
  return decodeLogged({ ...data, ...place, _tag: type })
}
