/**
 * The bodies of the admin API about messages, verifications and phone numbers.
 */
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import { failureReasons } from "@countersign/core/domain/values/FailureReason"
import { reportStatuses } from "@countersign/core/domain/messages/GatewayOutcome"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import * as Schema from "effect/Schema"
import {
  body,
  channel,
  decimal,
  metadata,
  next,
  textOrNull,
  time,
  timeOrNull,
  duration,
} from "./internal/fields.ts"

const { Boolean, Int, NullOr, String, Struct, optional } = Schema

const list = Schema.Array

export const LogEntry = body("LogEntry", {
  id: String,
  sequence: Int,
  phoneNumber: String,
  text: String,
  channel,
  sender: String,
  requestId: textOrNull,
  status: Schema.Literals(messageStatuses),
  price: decimal,
  gateway: String,
  gatewayId: textOrNull,
  error: textOrNull,
  failureReason: NullOr(Schema.Literals(failureReasons)),
  vendorCode: textOrNull,
  createdAt: time,
})

export const FoundMessages = body("FoundMessages", { messages: list(LogEntry), next })

export const MessageReport = body("MessageReport", {
  position: Int,
  receivedAt: time,
  gateway: String,
  gatewayId: textOrNull,
  status: Schema.Literals(reportStatuses),
  detail: textOrNull,
  evidence: textOrNull,
})

const entry = <const Kind extends string, const Members extends Schema.Struct.Fields>(
  kind: Kind,
  members: Members,
) => Struct({ kind: Schema.Literal(kind), at: timeOrNull, ...members })

const ofMessage = { messageSequence: Int }

const ofGateway = { ...ofMessage, gateway: String }

const problem = {
  ...ofGateway,
  reason: textOrNull,
  failureReason: LogEntry.fields.failureReason,
  vendorCode: textOrNull,
}

/** One thing that has happened. `at` is null if its time is not known. */
export const TimelineEntry = Schema.Union([
  entry("requested", { purpose: textOrNull, expiresAt: time }),
  entry("resent", ofMessage),
  entry("fallback", ofMessage),
  entry("sent_again", ofMessage),
  entry("created", { ...ofMessage, channel, sender: String }),
  entry("held", { ...ofMessage, amount: decimal }),
  entry("attempt", { ...ofMessage, attempt: Int }),
  entry("accepted", { ...ofGateway, gatewayId: textOrNull }),
  entry("unconfirmed", problem),
  entry("report", {
    ...ofGateway,
    status: MessageReport.fields.status,
    detail: textOrNull,
    contradicts: Boolean,
  }),
  entry("contradicted", { ...ofMessage, reason: textOrNull }),
  entry("settled", { ...problem, status: LogEntry.fields.status }),
  entry("captured", { ...ofMessage, amount: decimal }),
  entry("refunded", { ...ofMessage, amount: decimal }),
  entry("wrong_codes", { count: Int, attemptsRemaining: Int }),
  entry("verified", {}),
  entry("consumed", {}),
  entry("failed", { reason: NullOr(Schema.Literals(["attempts", "sending"])) }),
  entry("cancelled", {}),
  entry("expired", {}),
]).annotate({ identifier: "TimelineEntry" })

const timeline = list(TimelineEntry).annotate({ description: "In order of time." })

export const MessageHistory = body("MessageHistory", {
  message: LogEntry,
  reports: list(MessageReport),
  timeline,
})

export const SendMessage = body("SendMessage", {
  phoneNumber: String,
  text: String,
  channel: optional(channel),
  sender: optional(String),
  idempotencyKey: optional(String),
})

export const SentMessage = body("SentMessage", {
  gatewayId: String,
  phoneNumber: String,
  channel,
  balance: decimal,
})

/** A verification request. It never contains the code. */
export const FoundVerification = body("FoundVerification", {
  requestId: String,
  phoneNumber: String,
  channel,
  status: Schema.Literals(verificationStates),
  attemptsRemaining: Int,
  resendsRemaining: Int,
  resendAt: timeOrNull,
  createdAt: time,
  expiresAt: time,
  verifiedAt: timeOrNull,
  consumedAt: timeOrNull,
  purpose: textOrNull,
  metadata: NullOr(metadata),
})

export const FoundVerifications = body("FoundVerifications", {
  verifications: list(
    Struct({
      ...FoundVerification.fields,
      delivery: NullOr(LogEntry.fields.status).annotate({
        description: "The status of the newest message. Null: it is no longer in the log.",
      }),
    }),
  ),
  next,
})

export const VerificationHistory = body("VerificationHistory", {
  verification: FoundVerification,
  messages: list(LogEntry),
  timeline,
})

export const SendVerification = body("SendVerification", {
  phoneNumber: String,
  channel: optional(channel),
  codeLength: optional(Int),
  expiresIn: optional(duration),
  locale: optional(String),
  sender: optional(String),
  client: optional(String),
  purpose: optional(String),
  payment: optional(Struct({ amount: String, payee: String })),
  metadata: optional(metadata),
  idempotencyKey: optional(String),
})

export const SentVerification = body("SentVerification", {
  requestId: String,
  phoneNumber: String,
  channel,
  expiresAt: time,
})

export const CheckVerification = body("CheckVerification", { code: String })

export const CheckedVerification = body("CheckedVerification", {
  requestId: String,
  phoneNumber: String,
  verifiedAt: time,
  isFirst: Boolean,
})

export const ResendVerification = body("ResendVerification", { channel: optional(channel) })

export const ResentVerification = body("ResentVerification", {
  ...SentVerification.fields,
  resendsRemaining: Int,
})

export const CancelledVerification = body("CancelledVerification", {
  requestId: String,
  phoneNumber: String,
  status: Schema.Literal("failed"),
})

/** A phone number, and why the call is made. The audit contains the reason. */
export const OfNumber = body("OfNumber", { phoneNumber: String, reason: String })

const erased = {
  messages: Int,
  verifications: Int,
  reports: Int,
  events: Int,
  answers: Int,
  refusals: Int,
}

export const ErasedNumber = body("ErasedNumber", { ...erased, left: Int })

const code = Schema.Literals(errorCodes)

export const RefusalCount = Struct({ code, reason: textOrNull, count: Int })

export const FraudFinding = body("FraudFinding", {
  organization: String,
  prefix: String,
  reason: Schema.Literals(["velocity", "conversion"]),
  action: Schema.Literals(["record", "deny"]),
  at: time,
  sent: Int,
  verified: Int,
})
