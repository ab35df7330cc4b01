/** The schema of a description of a vendor with an HTTP API. */
import * as Fields from "@countersign/core/api/Fields"
import { channels } from "@countersign/core/domain/values/Channel"
import { reportStatuses } from "@countersign/core/domain/messages/GatewayOutcome"
import { rejectionReasons } from "@countersign/core/domain/values/RejectionReason"
import * as Schema from "effect/Schema"
import type {
  HttpCondition,
  HttpDescription,
  HttpPoll,
  HttpRequestDescription,
  HttpSource,
  HttpWhen,
} from "../../HttpDescription.ts"

/** Requires a schema for each member, and for nothing else. */
type Members<A> = Readonly<Record<keyof A, unknown>>

const { optional } = Schema
const text = optional(Schema.String)
const duration = optional(Fields.duration)
const texts = Schema.Record(Schema.String, Schema.String)
const Scalar = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])

const Request: Schema.Decoder<HttpRequestDescription> = Schema.Struct({
  method: optional(Schema.Literals(["POST", "GET", "PUT"])),
  url: Schema.String,
  headers: optional(texts),
  basic: optional(Schema.Struct({ username: Schema.String, password: Schema.String })),
  body: optional(
    Schema.Union([
      Schema.Struct({ form: texts }),
      Schema.Struct({ json: Schema.Json }),
      Schema.Struct({ text: Schema.String, contentType: Schema.String }),
    ]),
  ),
} satisfies Members<HttpRequestDescription>)

const Condition: Schema.Decoder<HttpCondition> = Schema.Struct({
  status: optional(Schema.Union([Schema.Int, Schema.Array(Schema.Int)])),
  path: text,
  equals: optional(Schema.Union([Scalar, Schema.Array(Scalar)])),
  matches: text,
} satisfies Members<HttpCondition>)

const When: Schema.Decoder<HttpWhen> = Schema.Union([Condition, Schema.Array(Condition)])

const Source: Schema.Decoder<HttpSource> = Schema.Union([
  Schema.Struct({ path: Schema.String }),
  Schema.Struct({ pattern: Schema.String }),
])

const Poll: Schema.Decoder<HttpPoll> = Schema.Struct({
  request: Request,
  statuses: Schema.Array(Schema.Struct({ when: When, status: Schema.Literals(reportStatuses) })),
  message: optional(Source),
  evidence: optional(Schema.Record(Schema.String, Source)),
  first: duration,
  longest: duration,
  end: duration,
} satisfies Members<HttpPoll>)

export const Description: Schema.Decoder<HttpDescription> = Schema.Struct({
  name: optional(Schema.NonEmptyString),
  channels: optional(Schema.Array(Schema.Literals(channels))),
  request: Request,
  recipient: optional(Schema.Literals(["plus", "digits", "national"])),
  country: optional(Schema.Struct({ code: Schema.String, trunk: Schema.String })),
  encodings: optional(Schema.Struct({ gsm7: Schema.String, unicode: Schema.String })),
  secrets: optional(Schema.Array(Schema.String)),
  values: optional(texts),
  outcomes: Schema.Array(
    Schema.Struct({
      when: When,
      means: Schema.Literals([
        ...(["accepted", "delivered", "notSent", "throttled", "unknown"] as const),
        ...rejectionReasons,
      ]),
      retryAfter: duration,
    }),
  ),
  id: optional(Source),
  segments: optional(Source),
  message: optional(Source),
  code: optional(Source),
  tokenLifetime: duration,
  idLifetime: duration,
  poll: optional(Poll),
  timeout: duration,
} satisfies Members<HttpDescription>)
