/**
 * The events of the admin API.
 */
import { settings } from "@countersign/core/domain/events/Event"
import * as Schema from "effect/Schema"
import { ApiKey, Brand } from "./AdminBodies.ts"
import { ErasedNumber, FraudFinding, LogEntry, RefusalCount } from "./AdminMessages.ts"
import { channel, decimal, metadata, textOrNull, time } from "./internal/fields.ts"

const { Int, NullOr, String, Struct } = Schema

const about = <const Type extends string, const Members extends Schema.Struct.Fields>(
  type: Type,
  members: Members,
) =>
  Struct({ type: Schema.Literal(type), organization: String, at: time, sequence: Int, ...members })

const ofVerification = {
  requestId: String,
  phoneNumber: String,
  purpose: textOrNull,
  metadata: NullOr(metadata),
}

const ofMessage = { messageSequence: Int }

const ofBooking = { amount: decimal, balance: decimal, note: textOrNull }

const ofWebhook = { webhookId: String }

const { id, environment, name } = ApiKey.fields

const { left: _left, ...erased } = ErasedNumber.fields

/** An event of the event log. Its phone number is masked. */
export const LoggedEvent = Schema.Union([
  about("verification_sent", { ...ofVerification, channel }),
  about("verified", ofVerification),
  about("verification_failed", {
    ...ofVerification,
    reason: Schema.Literals(["attempts", "sending"]),
  }),
  about("verification_cancelled", ofVerification),
  about("verification_consumed", ofVerification),
  about("message_settled", { ...ofMessage, channel, status: LogEntry.fields.status }),
  about("refunded", { ...ofMessage, amount: decimal }),
  about("topped_up", ofBooking),
  about("adjusted", ofBooking),
  about("balance_low", { balance: decimal, threshold: decimal }),
  about("fraud_suspected", FraudFinding.fields),
  about("api_key_created", { key: Struct({ id, name, environment }) }),
  about("api_key_revoked", { key: Struct({ id, name }) }),
  about("brand_changed", { brand: Brand }),
  about("number_erased", erased),
  about("calls_refused", { refusals: Schema.Array(RefusalCount) }),
  about("settings_changed", {
    settings: Schema.Array(Schema.Literals(settings)),
  }),
  about("webhook_created", ofWebhook),
  about("webhook_changed", ofWebhook),
  about("webhook_removed", ofWebhook),
  about("webhook_failing", { ...ofWebhook, reason: Schema.Literals(["failed", "gone"]) }),
]).annotate({ identifier: "LoggedEvent" })

export const EventPage = Struct({
  events: Schema.Array(LoggedEvent).annotate({ description: "In order." }),
  first: Int.annotate({ description: "The sequence of the oldest stored event." }),
  last: Int.annotate({ description: "The sequence of the newest event; 0 before the first." }),
}).annotate({ identifier: "EventPage" })
