/**
 * What can be said of a vendor with an HTTP interface.
 */
import * as Schema from "effect/Schema"

const Template = Schema.String.annotate({
  description: "Text with placeholders such as {to}; {{ and }} stand for braces",
})

const Scalar = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])

/** How a request is made. Values are encoded for the place where they stand. */
export const Request = Schema.Struct({
  /** `POST` when left out. */
  method: Schema.optional(Schema.Literals(["POST", "GET", "PUT"])),
  /** Placeholders may stand in its path and its query. */
  url: Template,
  headers: Schema.optional(Schema.Record(Schema.String, Template)),
  /** Adds the header of HTTP's basic authentication. */
  basic: Schema.optional(Schema.Struct({ username: Template, password: Template })),
  body: Schema.optional(
    Schema.Union([
      Schema.Struct({ form: Schema.Record(Schema.String, Template) }),
      /** Any JSON; each text in it is a template. */
      Schema.Struct({ json: Schema.Json }),
      /** `text/plain`, or a type with `xml` in its name. */
      Schema.Struct({ text: Template, contentType: Schema.String }),
    ]),
  ),
})
export type Request = typeof Request.Type

/** All that is given has to hold. */
export const Condition = Schema.Struct({
  /** The status of the answer. */
  status: Schema.optional(Schema.Union([Schema.Int, Schema.Array(Schema.Int)])),
  /** Points into the JSON, `data.items[0].status`. Alone: there is something that is not empty. */
  path: Schema.optional(Schema.String),
  /** What stands at the path, as text: `200` and `"200"` are the same. */
  equals: Schema.optional(Schema.Union([Scalar, Schema.Array(Scalar)])),
  /** A pattern for what stands at the path, or for the whole answer. Capitals do not matter. */
  matches: Schema.optional(Schema.String),
})
export type Condition = typeof Condition.Type

/** One condition, or several that all have to hold. */
export const When = Schema.Union([Condition, Schema.Array(Condition)])
export type When = typeof When.Type

/** Where something stands in an answer. */
export const Source = Schema.Union([
  Schema.Struct({ path: Schema.String }),
  /** A pattern with one group, for the whole answer. Capitals do not matter. */
  Schema.Struct({ pattern: Schema.String }),
])
export type Source = typeof Source.Type

/** What an answer means. `recipient`, `content`, `sender` and `account` are refusals. */
export const Meaning = Schema.Literals([
  "accepted",
  "delivered",
  "recipient",
  "content",
  "sender",
  "account",
  "throttled",
  "notSent",
  "unknown",
])
export type Meaning = typeof Meaning.Type

export const Poll = Schema.Struct({
  /** Has `{id}`, the vendor's name for the message, or `{ref}` or `{token}`. */
  request: Request,
  /** The first that fits decides; where none does, nothing was learned. */
  statuses: Schema.Array(
    Schema.Struct({
      when: When,
      /** All but `accepted` are last words. */
      status: Schema.Literals(["accepted", "delivered", "undelivered", "failed", "rejected"]),
    }),
  ),
  message: Schema.optional(Source),
  /** 5 when left out. Each wait is twice the one before. */
  firstSeconds: Schema.optional(Schema.Number),
  /** 600 when left out. */
  longestSeconds: Schema.optional(Schema.Number),
  /** 86,400 when left out. */
  endSeconds: Schema.optional(Schema.Number),
})
export type Poll = typeof Poll.Type

export const Description = Schema.Struct({
  /** The gateway's name; `http` when left out. */
  name: Schema.optional(Schema.NonEmptyString),
  /** `sms` alone when left out. */
  channels: Schema.optional(Schema.Array(Schema.Literals(["sms", "whatsapp"]))),
  request: Request,
  /** How `{to}` is written: `+8801…`, `8801…` (when left out) or, for the country, `01…`. */
  recipient: Schema.optional(Schema.Literals(["plus", "digits", "national"])),
  /** Needed for `{toNational}`. `{ "code": "880", "trunk": "0" }` */
  country: Schema.optional(Schema.Struct({ code: Schema.String, trunk: Schema.String })),
  /** What `{encoding}` is for a text in GSM-7, and for any other. */
  encodings: Schema.optional(Schema.Struct({ gsm7: Schema.String, unicode: Schema.String })),
  /** Placeholders that the host fills with secrets. */
  secrets: Schema.optional(Schema.Array(Schema.String)),
  /** Placeholders of your own, with what stands there unless the host says otherwise. */
  values: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  /** What answers mean. The first that fits decides; where none does, the outcome is unknown. */
  outcomes: Schema.Array(
    Schema.Struct({
      when: When,
      means: Meaning,
      /** For `throttled`. */
      retryAfterSeconds: Schema.optional(Schema.Number),
    }),
  ),
  /** The vendor's name for the message; the token when left out. */
  id: Schema.optional(Source),
  /** How many parts it counts. */
  segments: Schema.optional(Source),
  /** The vendor's words for a refusal. */
  message: Schema.optional(Source),
  /** For how long the vendor refuses a `{token}` that it has seen; 0 when left out. */
  dedupeSeconds: Schema.optional(Schema.Number),
  /** For how long the vendor gives an `id` to no other message. `@defaultValue` for ever */
  idSeconds: Schema.optional(Schema.Number),
  poll: Schema.optional(Poll),
  /** 15,000 when left out. */
  timeoutMillis: Schema.optional(Schema.Number),
})
export type Description = typeof Description.Type
