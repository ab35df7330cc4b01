/**
 * The bodies of requests and of successful responses, as they are on the wire.
 *
 * Limits are only keywords of the OpenAPI document, with the default values of `core`. The service checks them.
 */
import { defaults as limits } from "@countersign/core/domain/Limits"
import { standard as templates } from "@countersign/core/text/Templates"
import * as Schema from "effect/Schema"
import { keywords } from "./internal/keywords.ts"

const id = (description: string) =>
  Schema.String.annotate({ description }).check(keywords({ minLength: 1 }))

/** Requests may contain Bangla digits as well. */
const sentDigits = "[1-9১-৯][0-9০-৯]{6,14}"

const receivedDigits = "[1-9][0-9]{6,14}"

const numberWithPlus = (description: string) =>
  Schema.String.annotate({ description, examples: ["+8801712345678"] }).check(
    keywords({ pattern: `^\\+${receivedDigits}$` }),
  )

const numberWithoutPlus = (description: string) =>
  Schema.String.annotate({ description, examples: ["8801712345678"] }).check(
    keywords({ pattern: `^${receivedDigits}$` }),
  )

const integerFrom = (minimum: number, description: string) =>
  Schema.Int.annotate({ description }).check(keywords({ minimum }))

const response = <const Data extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  data: Data,
) =>
  Schema.Struct({ success: Schema.Literal(true), data: Schema.Struct(data) }).annotate({
    identifier,
    description,
  })

const channel = Schema.Literals(["sms", "whatsapp"])

/** The body of `POST /messages`. */
export const SendMessage = Schema.Struct({
  to: Schema.String.annotate({
    description: "Recipient in E.164 format. The plus is optional.",
    examples: ["8801712345678"],
  }).check(keywords({ pattern: `^\\+?${sentDigits}$` })),
  message: Schema.String.annotate({
    description: "The text. It must not contain NUL characters.",
    examples: ["Your order has shipped."],
  }).check(keywords({ minLength: 1, maxLength: limits.messageLength })),
  channel: Schema.optionalKey(
    channel.annotate({ description: "How to send the message.", default: "sms" }),
  ),
  brand_id: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The sender. SMS: a brand ID, an approved masking name, or a registered number. WhatsApp: a brand or profile ID. Without it, the service uses the channel's default sender.",
    }),
  ),
}).annotate({ identifier: "SendMessage" })

/** The response of `POST /messages`. */
export const SentMessage = response("SentMessage", "The gateway accepted the message", {
  gateway_id: id("The gateway's id of the message."),
  to: numberWithoutPlus("Recipient, without the plus."),
  channel,
  status: Schema.Literal("delivered"),
  credits_remaining: Schema.Finite.annotate({
    description: "The balance after this message.",
    examples: [99.5],
  }),
})

const isoTime = (description: string) =>
  Schema.String.annotate({
    description,
    format: "date-time",
    examples: ["2026-01-31T09:30:00.000Z"],
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
  recipient: numberWithoutPlus("Recipient, without the plus."),
  message: Schema.String.annotate({
    description: "The text. The code of a verification is masked.",
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
  price: Schema.String.annotate({
    description: "The price: a decimal with two to four places.",
    examples: ["0.50"],
  }).check(keywords({ pattern: "^[0-9]+\\.[0-9]{2,4}$" })),
  gatewayId: Schema.NullOr(Schema.String).annotate({
    description: "The gateway's id of the message, or null.",
  }),
  errorMessage: Schema.NullOr(Schema.String).annotate({
    description: "Why the message failed, or null.",
  }),
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
  balance: Schema.Finite.annotate({
    description: "The amount that is available.",
    examples: [99.5],
  }),
  currency: Schema.String.annotate({
    description: "The currency of the account.",
    examples: ["BDT"],
  }),
})

/** The body of `POST /verify`. */
export const SendVerification = Schema.Struct({
  phone_number: Schema.String.annotate({
    description: "Recipient in E.164 format, with the plus.",
    examples: ["+8801712345678"],
  }).check(keywords({ pattern: `^\\+${sentDigits}$` })),
  channel: Schema.optionalKey(
    channel.annotate({ description: "How to send the code.", default: "sms" }),
  ),
  code_length: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Number of digits in the code.",
      default: limits.codeLength.default,
    }).check(keywords({ minimum: limits.codeLength.min, maximum: limits.codeLength.max })),
  ),
  expiry: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Seconds until the code expires.",
      default: limits.expirySeconds.default,
    }).check(keywords({ minimum: limits.expirySeconds.min, maximum: limits.expirySeconds.max })),
  ),
  locale: Schema.optionalKey(
    Schema.String.annotate({
      description: "Language of the text.",
      default: templates.defaultLocale,
    }).check(keywords({ enum: templates.locales })),
  ),
  brand_id: Schema.optionalKey(
    Schema.String.annotate({
      description: "The sender. Without it, the service uses the channel's default sender.",
    }),
  ),
}).annotate({ identifier: "SendVerification" })

/** The response of `POST /verify`. */
export const SentVerification = response("SentVerification", "The service sent the code", {
  request_id: id("The id of the request. `POST /verify/check` takes it."),
  to: numberWithPlus("Recipient, with the plus."),
  channel,
  status: Schema.Literal("pending"),
  expires_in: Schema.Int.annotate({
    description: "Seconds until the code expires.",
    examples: [300],
  }).check(keywords({ minimum: 1 })),
})

/** The body of `POST /verify/check`. */
export const CheckVerification = Schema.Struct({
  request_id: id("`request_id` of the answer to `POST /verify`."),
  code: Schema.String.annotate({
    description:
      "The code that the user typed. The service removes white space and hyphens, then compares.",
    examples: ["123456"],
  }).check(keywords({ minLength: 1, maxLength: 32 })),
}).annotate({ identifier: "CheckVerification" })

/** The response of `POST /verify/check`. */
export const CheckedVerification = response("CheckedVerification", "The number is verified", {
  request_id: id("The id of the request."),
  to: numberWithPlus("The verified phone number, with the plus."),
  status: Schema.Literal("verified"),
  verified_at: isoTime("Time of the first successful check. Later checks return the same time."),
})
