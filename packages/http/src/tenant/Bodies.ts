/**
 * The bodies of requests and of successful responses, as they are on the wire.
 *
 * Limits are only keywords of the OpenAPI document, with the default values of `core`. The service checks them.
 */
import { defaults as limits } from "@countersign/core/domain/limits/Limits"
import { standard as templates } from "@countersign/core/text/Templates"
import { messageClasses } from "@countersign/core/domain/values/MessageClass"
import * as Schema from "effect/Schema"
import { id, keywords } from "../mount/internal/keywords.ts"

const exampleTime = "2026-01-31T09:30:00.000Z"

/** Requests may also contain Bangla digits. */
const sentDigits = "[1-9১-৯][0-9০-৯]{6,14}"

const receivedDigits = "[1-9][0-9]{6,14}"

const text = (description: string, example: string, limits: Parameters<typeof keywords>[0]) =>
  Schema.String.annotate({ description, examples: [example] }).check(keywords(limits))

const numberWithPlus = (description: string) =>
  text(description, "+8801712345678", { pattern: `^\\+${receivedDigits}$` })

const numberWithoutPlus = (description: string) =>
  text(description, "8801712345678", { pattern: `^${receivedDigits}$` })

const amount = (description: string) => Schema.Finite.annotate({ description, examples: [99.5] })

const textOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

const isoTime = (description: string) =>
  Schema.String.annotate({ description, format: "date-time", examples: [exampleTime] })

const isoTimeOrNull = (description: string) =>
  Schema.NullOr(Schema.String.annotate({ format: "date-time", examples: [exampleTime] })).annotate({
    description,
  })

const integerFrom = (minimum: number, description: string) =>
  Schema.Int.annotate({ description }).check(keywords({ minimum }))

const optionalInteger = (range: (typeof limits)["codeLength"], description: string) =>
  Schema.optionalKey(
    Schema.Int.annotate({ description, default: range.default }).check(
      keywords({ minimum: range.min, maximum: range.max }),
    ),
  )

const channel = Schema.Literals(["sms", "whatsapp"])

const optionalChannel = (description: string) =>
  Schema.optionalKey(channel.annotate({ description, default: "sms" }))

const optionalBrand = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }))

const response = <const Data extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  data: Data,
) =>
  Schema.Struct({ success: Schema.Literal(true), data: Schema.Struct(data) }).annotate({
    identifier,
    description,
  })

/** The body of `POST /messages`. */
export const SendMessage = Schema.Struct({
  to: text("Recipient in E.164 format. The plus is optional.", "8801712345678", {
    pattern: `^\\+?${sentDigits}$`,
  }),
  message: text("The text. It must not contain NUL characters.", "Your order has shipped.", {
    minLength: 1,
    maxLength: limits.messageLength,
  }),
  channel: optionalChannel("How to send the message."),
  class: Schema.optionalKey(
    Schema.Literals(messageClasses).annotate({
      description:
        "Promotional messages advertise. They do not go to numbers that have opted out of them.",
      default: "transactional",
    }),
  ),
  brand_id: optionalBrand(
    "The sender. SMS: a brand ID, an approved masking name, or a registered number. WhatsApp: a brand or profile ID. Without it, the service uses the channel's default sender.",
  ),
}).annotate({ identifier: "SendMessage" })

/** The response of `POST /messages`. */
export const SentMessage = response("SentMessage", "The gateway accepted the message", {
  gateway_id: id("The gateway's id of the message."),
  to: numberWithoutPlus("Recipient, without the plus."),
  channel,
  status: Schema.Literal("delivered"),
  credits_remaining: amount("The balance after this message."),
})

/** The query of `GET /messages`. */
export const ListMessages = {
  // `internal/openApi` describes these parameters for the document, because a query schema loses its integers
  // there.
  limit: Schema.optionalKey(Schema.Int),
  page: Schema.optionalKey(Schema.Int),
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String),
}

/** An entry of the log. */
export const LogEntry = Schema.Struct({
  id: id("The id of the entry."),
  recipient: text(
    "Recipient, without the plus. `erased:` and its country once the number was erased.",
    "8801712345678",
    { pattern: `^(?:${receivedDigits}|erased:(?:[A-Z]{2})?)$` },
  ),
  message: Schema.String.annotate({
    description: "The text. The code of a verification is masked. Empty once it was erased.",
  }),
  channel: Schema.Literals(["mask", "non-mask", "whatsapp"]).annotate({
    description: "`mask`: SMS from an approved masking name. `non-mask`: any other SMS.",
  }),
  status: Schema.Literals([
    "accepted",
    "pending",
    "delivered",
    "undelivered",
    "failed",
    "unknown",
    "rejected",
  ]).annotate({ description: "The last known status of the message." }),
  price: text("The price: a decimal with two to four places.", "0.50", {
    pattern: "^[0-9]+\\.[0-9]{2,4}$",
  }),
  gatewayId: textOrNull("The gateway's id of the message, or null."),
  errorMessage: textOrNull("Why the message failed, or null."),
  createdAt: isoTime("Time of the request."),
}).annotate({ identifier: "LogEntry" })

/** The response of `GET /messages`. */
export const MessageLog = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(LogEntry).annotate({ description: "Newest first." }),
  pagination: Schema.Struct({
    page: integerFrom(1, "The page of this answer."),
    limit: integerFrom(1, "Results per page."),
    total: integerFrom(0, "Exact number of matching messages."),
    total_pages: integerFrom(0, "Number of pages."),
  }),
}).annotate({ identifier: "MessageLog", description: "A page of the log" })

/** The response of `GET /messages/{id}`. */
export const LoggedMessage = Schema.Struct({
  success: Schema.Literal(true),
  data: LogEntry,
}).annotate({ identifier: "LoggedMessage", description: "An entry of the log" })

/** The response of `GET /balance`. */
export const Balance = response("Balance", "The current balance", {
  balance: amount("The amount that is available."),
  currency: Schema.String.annotate({
    description: "The currency of the account.",
    examples: ["BDT"],
  }),
})

const purpose = { pattern: "^[a-z0-9][a-z0-9_.-]{0,31}$" }

const optionalPurpose = (description: string) =>
  Schema.optionalKey(text(description, "login", purpose))

const otherPurpose = "The purpose of the request. A request with another purpose is not found."

const client = Schema.optionalKey(
  text(
    "Your own name for the visitor: an address, a device or a session. The service stores only a keyed digest of it. Limits per client count by it, and a client that has verified the number has a budget of wrong codes of its own.",
    "203.0.113.7",
    { minLength: 1, maxLength: 128 },
  ),
)

const printable = { minLength: 1, maxLength: 64 }

/** The body of `POST /verify`. */
export const SendVerification = Schema.Struct({
  phone_number: text("Recipient in E.164 format, with the plus.", "+8801712345678", {
    pattern: `^\\+${sentDigits}$`,
  }),
  channel: optionalChannel("How to send the code."),
  code_length: optionalInteger(limits.codeLength, "Number of digits in the code."),
  expiry: optionalInteger(limits.expirySeconds, "Seconds until the code expires."),
  locale: Schema.optionalKey(
    Schema.String.annotate({
      description: "Language of the text.",
      default: templates.defaultLocale,
    }).check(keywords({ enum: templates.locales })),
  ),
  brand_id: optionalBrand("The sender. Without it, the service uses the channel's default sender."),
  client,
  purpose: optionalPurpose("The purpose of the verification."),
  metadata: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description:
        "A JSON object of your own, at most 1 KiB. The state of the request, its consumption and the events of the host contain it.",
      examples: [{ account: "a-17" }],
    }),
  ),
  payment: Schema.optionalKey(
    Schema.Struct({
      amount: text("The amount as people read it, with its currency.", "BDT 500", printable),
      payee: text("The recipient of the payment.", "Rahim Store", printable),
    }).annotate({ description: "The payment that the code approves. The text names it." }),
  ),
}).annotate({ identifier: "SendVerification" })

const sent = {
  request_id: id("The id of the request. `POST /verify/check` takes it."),
  to: numberWithPlus("Recipient, with the plus."),
  channel,
  status: Schema.Literal("pending"),
  expires_in: Schema.Int.annotate({
    description: "Seconds until the code expires.",
    examples: [300],
  }).check(keywords({ minimum: 1 })),
}

/** The response of `POST /verify`. */
export const SentVerification = response("SentVerification", "The service sent the code", sent)

/** The body of `POST /verify/check`. */
export const CheckVerification = Schema.Struct({
  request_id: Schema.optionalKey(
    id("`request_id` of the answer to `POST /verify`. Required without `phone_number`."),
  ),
  phone_number: Schema.optionalKey(
    text(
      "Instead of `request_id`: selects the newest pending request of this number.",
      "+8801712345678",
      {
        pattern: `^\\+${sentDigits}$`,
      },
    ),
  ),
  code: text(
    "The code that the user typed. The service removes white space and hyphens, then compares.",
    "123456",
    { minLength: 1, maxLength: 32 },
  ),
  client,
  purpose: optionalPurpose(otherPurpose),
}).annotate({ identifier: "CheckVerification" })

const verified = {
  request_id: id("The id of the request."),
  to: numberWithPlus("The verified phone number, with the plus."),
  status: Schema.Literal("verified"),
}

/** The response of `POST /verify/check`. */
export const CheckedVerification = response("CheckedVerification", "The number is verified", {
  ...verified,
  verified_at: isoTime("Time of the first successful check. Later checks return the same time."),
})

/** The body of `POST /verify/{request_id}/resend`. */
export const ResendVerification = Schema.Struct({
  channel: Schema.optionalKey(
    channel.annotate({ description: "How to send the code. The default is the channel before." }),
  ),
  client,
}).annotate({ identifier: "ResendVerification" })

/** The response of `POST /verify/{request_id}/resend`. */
export const ResentVerification = response(
  "ResentVerification",
  "The service sent the code again",
  {
    ...sent,
    resends_remaining: integerFrom(0, "How many more times the code can be sent."),
  },
)

/** The response of `POST /verify/{request_id}/cancel`. */
export const CancelledVerification = response("CancelledVerification", "The request has ended", {
  request_id: id("The id of the request."),
  status: Schema.Literal("failed"),
})

/** The body of `POST /verify/{request_id}/consume`. */
export const ConsumeVerification = Schema.Struct({
  purpose: optionalPurpose(otherPurpose),
  audience: Schema.optionalKey(
    text("The service that the proof is for.", "https://shop.example", {
      minLength: 1,
      maxLength: 200,
    }),
  ),
}).annotate({ identifier: "ConsumeVerification" })

const metadataOrNull = Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
  description: "Your own JSON object, or null.",
})

/** The response of `POST /verify/{request_id}/consume`. */
export const ConsumedVerification = response(
  "ConsumedVerification",
  "This call alone has used the verification",
  {
    ...verified,
    verified_at: isoTime("Time of the first successful check."),
    consumed_at: isoTime("Time of this call."),
    purpose: textOrNull("The purpose of the verification, or null."),
    metadata: metadataOrNull,
    proof: textOrNull(
      "A signed token for another service, which verifies it with the keys of `GET /jwks.json`. Null if the service signs no proofs.",
    ),
  },
)

/** The response of `GET /verify/{request_id}`. */
export const VerificationStatus = response("VerificationStatus", "The state of the request", {
  request_id: id("The id of the request."),
  to: numberWithPlus("Recipient, with the plus."),
  channel: channel.annotate({ description: "The channel of the last message." }),
  status: Schema.Literals(["pending", "verified", "expired", "failed"]),
  created_at: isoTime("Time of the request."),
  expires_at: isoTime("From this time on, a pending request has expired."),
  verified_at: isoTimeOrNull("Time of the first successful check, or null."),
  consumed_at: isoTimeOrNull("Time at which the verification was consumed, or null."),
  attempts_remaining: integerFrom(0, "Number of wrong codes that are still allowed."),
  resends_remaining: integerFrom(0, "How many more times the code can be sent."),
  resend_at: isoTimeOrNull("The earliest time to send the code again. Null if it cannot be sent."),
  purpose: textOrNull("The purpose of the verification, or null."),
  metadata: metadataOrNull,
  messages: Schema.Array(
    Schema.Struct({
      id: id("The `id` of the log entry."),
      channel,
      status: LogEntry.fields.status,
      created_at: isoTime("Time of the message."),
    }),
  ).annotate({ description: "The messages with the code that are in the log, oldest first." }),
})

/** The response of `GET /jwks.json`. */
export const PublicKeys = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: Schema.Literal("OKP"),
      crv: Schema.Literal("Ed25519"),
      use: Schema.Literal("sig"),
      kid: id("The id of the key, which the header of a proof names."),
      x: Schema.String.annotate({ description: "The public key, in base64url." }),
    }),
  ).annotate({ description: "Also contains keys that do not sign yet or any more." }),
}).annotate({ identifier: "PublicKeys", description: "The public keys of proofs" })
