/**
 * The schema of a description of a vendor with an HTTP API.
 */
import * as Schema from "effect/Schema"

const Template = Schema.String.annotate({
  description: "Text with placeholders such as {to}; {{ and }} stand for braces",
})

const Scalar = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])

/** How to make a request. Placeholder values are encoded for their position. */
export const Request = Schema.Struct({
  /** HTTP method. @defaultValue `POST` */
  method: Schema.optional(Schema.Literals(["POST", "GET", "PUT"])),
  /** Placeholders are allowed in the path and the query. */
  url: Template,
  headers: Schema.optional(Schema.Record(Schema.String, Template)),
  /** Adds the header of HTTP basic authentication. */
  basic: Schema.optional(Schema.Struct({ username: Template, password: Template })),
  body: Schema.optional(
    Schema.Union([
      Schema.Struct({ form: Schema.Record(Schema.String, Template) }),
      /** Any JSON; each string in it is a template. */
      Schema.Struct({ json: Schema.Json }),
      /** `text/plain`, or a type with `xml` in its name. */
      Schema.Struct({ text: Template, contentType: Schema.String }),
    ]),
  ),
})
export type Request = typeof Request.Type

/** All given fields have to match. */
export const Condition = Schema.Struct({
  /** The status of the answer. */
  status: Schema.optional(Schema.Union([Schema.Int, Schema.Array(Schema.Int)])),
  /** Path into the JSON: `data.items[0].status`. On its own it matches any value that is not empty. */
  path: Schema.optional(Schema.String),
  /** The value at the path, as text: `200` and `"200"` are equal. */
  equals: Schema.optional(Schema.Union([Scalar, Schema.Array(Scalar)])),
  /** A pattern for the value at the path or, without a path, for the whole answer. Case-insensitive. */
  matches: Schema.optional(Schema.String),
})
export type Condition = typeof Condition.Type

/** One condition, or several that all have to match. */
export const When = Schema.Union([Condition, Schema.Array(Condition)])
export type When = typeof When.Type

/** Position of a value in an answer. */
export const Source = Schema.Union([
  Schema.Struct({ path: Schema.String }),
  /** A pattern with one group, for the whole answer. Case-insensitive. */
  Schema.Struct({ pattern: Schema.String }),
])
export type Source = typeof Source.Type

/** Meaning of an answer. `recipient`, `content`, `sender` and `account` are rejections. */
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
  /** Contains `{id}`, the vendor's id of the message, or `{ref}` or `{token}`. */
  request: Request,
  /** The first match decides. Without a match, nothing is known. */
  statuses: Schema.Array(
    Schema.Struct({
      when: When,
      /** All statuses except `accepted` are final. */
      status: Schema.Literals(["accepted", "delivered", "undelivered", "failed", "rejected"]),
    }),
  ),
  message: Schema.optional(Source),
  /** Seconds until the first poll. Each wait is twice the previous one. @defaultValue 5 */
  firstSeconds: Schema.optional(Schema.Number),
  /** Longest wait in seconds. @defaultValue 600 */
  longestSeconds: Schema.optional(Schema.Number),
  /** Seconds after which polling ends. @defaultValue 86,400 */
  endSeconds: Schema.optional(Schema.Number),
})
export type Poll = typeof Poll.Type

export const Description = Schema.Struct({
  /** Name of the gateway. @defaultValue `http` */
  name: Schema.optional(Schema.NonEmptyString),
  /** Channels that the vendor carries. @defaultValue `["sms"]` */
  channels: Schema.optional(Schema.Array(Schema.Literals(["sms", "whatsapp"]))),
  request: Request,
  /** Format of `{to}`: `+8801…`, `8801…` or, for the country, `01…`. @defaultValue `digits` */
  recipient: Schema.optional(Schema.Literals(["plus", "digits", "national"])),
  /** Required for `{toNational}`: `{ "code": "880", "trunk": "0" }` */
  country: Schema.optional(Schema.Struct({ code: Schema.String, trunk: Schema.String })),
  /** Value of `{encoding}` for a GSM-7 text and for any other. */
  encodings: Schema.optional(Schema.Struct({ gsm7: Schema.String, unicode: Schema.String })),
  /** Names of placeholders that the host fills with secrets. */
  secrets: Schema.optional(Schema.Array(Schema.String)),
  /** Further placeholders and their defaults. The host can override them. */
  values: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  /** Meanings of answers. The first match decides. Without a match, the outcome is unknown. */
  outcomes: Schema.Array(
    Schema.Struct({
      when: When,
      means: Meaning,
      /** For `throttled`: seconds until the next attempt. */
      retryAfterSeconds: Schema.optional(Schema.Number),
    }),
  ),
  /** The vendor's id of the message. @defaultValue the token */
  id: Schema.optional(Source),
  /** The vendor's number of segments. */
  segments: Schema.optional(Source),
  /** The vendor's message for a rejection. */
  message: Schema.optional(Source),
  /** Seconds for which the vendor rejects a `{token}` that it has seen. @defaultValue 0 */
  dedupeSeconds: Schema.optional(Schema.Number),
  /** Seconds for which the vendor does not reuse an `id`. @defaultValue no limit */
  idSeconds: Schema.optional(Schema.Number),
  poll: Schema.optional(Poll),
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  timeoutMillis: Schema.optional(Schema.Number),
})
export type Description = typeof Description.Type
