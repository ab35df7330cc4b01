/**
 * What is asked and what is answered when all goes well, member by member as it
 * goes over the wire.
 */
import * as Schema from "effect/Schema"

const channel = Schema.Literals(["sms", "whatsapp"])

/** Of `POST /messages`. */
export const SendMessage = Schema.Struct({
  to: Schema.String.annotate({
    description: "Recipient in E.164 format; the plus may be left out.",
    examples: ["8801712345678"],
  }),
  message: Schema.String.annotate({
    description: "The text: 1 to 1,600 characters.",
    examples: ["Your order has shipped."],
  }),
  channel: Schema.optionalKey(channel.annotate({ default: "sms" })),
  brand_id: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The sender. SMS: a brand ID, an approved masking name, or a registered number. WhatsApp: a brand or profile ID. The channel's default sender when left out.",
    }),
  ),
}).annotate({ identifier: "SendMessage" })

/** Answer to `POST /messages`. */
export const SentMessage = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Struct({
    gateway_id: Schema.String.annotate({ description: "The gateway's own id of the message." }),
    to: Schema.String.annotate({
      description: "Recipient, without the plus.",
      examples: ["8801712345678"],
    }),
    channel,
    status: Schema.Literal("delivered"),
    credits_remaining: Schema.Finite.annotate({
      description: "What can still be spent.",
      examples: [99.5],
    }),
  }),
}).annotate({ identifier: "SentMessage", description: "The gateway has taken the message" })

const isoTime = (description: string) =>
  Schema.String.annotate({
    description,
    format: "date-time",
    examples: ["2026-01-31T09:30:00.000Z"],
  })

const day = (description: string) =>
  Schema.String.annotate({ description, examples: ["2026-01-31"] })

/** Query of `GET /messages`. */
export const ListMessages = {
  limit: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Results per page: 1 to 200, 50 when left out.",
      examples: [50],
    }),
  ),
  page: Schema.optionalKey(Schema.Int.annotate({ description: "From 1.", examples: [1] })),
  from: Schema.optionalKey(
    day(
      "ISO 8601 date (from the start of that day, UTC) or date-time with offset. Filters only together with `to`.",
    ),
  ),
  to: Schema.optionalKey(
    day(
      "ISO 8601 date (to the end of that day, UTC) or date-time with offset, which is included. Filters only together with `from`.",
    ),
  ),
}

/** One line of the log. */
export const LogEntry = Schema.Struct({
  id: Schema.String,
  recipient: Schema.String.annotate({
    description: "Phone number, without the plus.",
    examples: ["8801712345678"],
  }),
  message: Schema.String.annotate({ description: "The text; a verification's code is masked." }),
  channel: Schema.Literals(["mask", "non-mask", "whatsapp"]),
  status: Schema.Literals([
    "accepted",
    "pending",
    "delivered",
    "undelivered",
    "failed",
    "unknown",
    "rejected",
  ]),
  price: Schema.String.annotate({
    description: "What it has cost: a decimal with at least two places.",
    examples: ["0.50"],
  }),
  gatewayId: Schema.NullOr(Schema.String),
  errorMessage: Schema.NullOr(Schema.String),
  createdAt: isoTime("When it was asked for."),
}).annotate({ identifier: "LogEntry" })

/** Answer to `GET /messages`. */
export const MessageLog = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(LogEntry).annotate({ description: "Newest first." }),
  pagination: Schema.Struct({
    page: Schema.Int,
    limit: Schema.Int,
    total: Schema.Int.annotate({ description: "How many messages match, exactly." }),
    total_pages: Schema.Int,
  }),
}).annotate({ identifier: "MessageLog", description: "A page of the log" })

/** Answer to `GET /messages/{id}`. */
export const LoggedMessage = Schema.Struct({
  success: Schema.Literal(true),
  data: LogEntry,
}).annotate({ identifier: "LoggedMessage", description: "An entry of the log" })

/** Answer to `GET /balance`. */
export const Balance = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Struct({
    balance: Schema.Finite.annotate({ description: "What can be spent.", examples: [99.5] }),
    currency: Schema.String.annotate({ examples: ["BDT"] }),
  }),
}).annotate({ identifier: "Balance", description: "The current balance" })

/** Of `POST /verify`. */
export const SendVerification = Schema.Struct({
  phone_number: Schema.String.annotate({
    description: "Recipient in E.164 format, with its plus.",
    examples: ["+8801712345678"],
  }),
  channel: Schema.optionalKey(channel.annotate({ default: "sms" })),
  code_length: Schema.optionalKey(
    Schema.Int.annotate({ description: "Digits in the code: 4 to 10.", default: 6 }),
  ),
  expiry: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Seconds until the code expires: 60 to 3,600.",
      default: 300,
    }),
  ),
  locale: Schema.optionalKey(
    Schema.String.annotate({
      description: "Language of the text: `en-us` or `bn-bd`.",
      default: "en-us",
    }),
  ),
  brand_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The sender; found by itself when left out." }),
  ),
}).annotate({ identifier: "SendVerification" })

/** Answer to `POST /verify`. */
export const SentVerification = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Struct({
    request_id: Schema.String.annotate({ description: "Checks the code later." }),
    to: Schema.String.annotate({
      description: "Recipient, with the plus.",
      examples: ["+8801712345678"],
    }),
    channel,
    status: Schema.Literal("pending"),
    expires_in: Schema.Int.annotate({
      description: "Seconds until the code expires.",
      examples: [300],
    }),
  }),
}).annotate({ identifier: "SentVerification", description: "The code is on its way" })

/** Of `POST /verify/check`. */
export const CheckVerification = Schema.Struct({
  request_id: Schema.String.annotate({ description: "From the answer to `POST /verify`." }),
  code: Schema.String.annotate({
    description:
      "What the user has typed: 1 to 32 characters. White space and hyphens are removed before the code is compared.",
    examples: ["123456"],
  }),
}).annotate({ identifier: "CheckVerification" })

/** Answer to `POST /verify/check`. */
export const CheckedVerification = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Struct({
    request_id: Schema.String,
    to: Schema.String.annotate({
      description: "The number that is verified, with the plus.",
      examples: ["+8801712345678"],
    }),
    status: Schema.Literal("verified"),
    verified_at: isoTime("The same however often the request is checked again."),
  }),
}).annotate({ identifier: "CheckedVerification", description: "The number is verified" })
