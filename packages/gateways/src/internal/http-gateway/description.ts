/** The schema of a description of a vendor with an HTTP API. `HttpDescription.ts` is generated from it. */
import { duration, field, optional, record } from "@countersign/core/api/Fields"
import { channels } from "@countersign/core/domain/values/Channel"
import { reportStatuses } from "@countersign/core/domain/messages/GatewayOutcome"
import { rejectionReasons } from "@countersign/core/domain/values/FailureReason"
import * as Schema from "effect/Schema"
import type { HttpDescription } from "../../HttpDescription.ts"

const texts = Schema.Record(Schema.String, Schema.String)
const Scalar = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])

const Request = record(
  "HttpRequestDescription",
  "A request. Strings may contain placeholders such as `{to}`; `{{` and `}}` stand for braces.",
  {
    method: optional(Schema.Literals(["POST", "GET", "PUT"]), "", "`POST`"),
    url: field(Schema.String, "Path and query may contain placeholders."),
    headers: Schema.optional(texts),
    basic: optional(
      Schema.Struct({ username: Schema.String, password: Schema.String }),
      "Adds an `Authorization` header for HTTP basic authentication.",
    ),
    body: Schema.optional(
      Schema.Union([
        Schema.Struct({ form: texts }),
        Schema.Struct({ json: Schema.Json.annotate({ named: "Json" }) }),
        Schema.Struct({ text: Schema.String, contentType: Schema.String }),
      ]),
    ),
  },
)

const Condition = record(
  "HttpCondition",
  "A condition on a response. All members that are present must hold.",
  {
    status: optional(
      Schema.Union([Schema.Int, Schema.Array(Schema.Int)]),
      "The status of the response.",
    ),
    path: optional(
      Schema.String,
      "A path into the JSON, `data.items[0].status`. Without `equals` and `matches`, the value must exist and not be empty.",
    ),
    equals: optional(
      Schema.Union([Scalar, Schema.Array(Scalar)]),
      "The value at the path, compared as text.",
    ),
    matches: optional(
      Schema.String,
      "A regular expression for the value at the path, or for the whole response. It ignores case.",
    ),
  },
)

const When = Schema.Union([Condition, Schema.Array(Condition)]).annotate({
  identifier: "HttpWhen",
  description: "One condition, or several that must all hold.",
})

const Source = Schema.Union([
  Schema.Struct({ path: Schema.String }),
  Schema.Struct({ pattern: Schema.String }),
]).annotate({
  identifier: "HttpSource",
  description:
    "The location of a value in a response: a path into its JSON, or the only group of a regular expression.",
})

const Meaning = Schema.Literals([
  ...(["accepted", "delivered", "notSent", "throttled", "unknown"] as const),
  ...rejectionReasons,
]).annotate({
  identifier: "HttpMeaning",
  description:
    "The meaning of a response. `recipient`, `content`, `sender` and `account` are reasons of a rejection.",
})

const Poll = record("HttpPoll", "How to ask the vendor for the outcome of a message.", {
  request: field(
    Request,
    "Contains `{id}`, the vendor's id of the message, or `{ref}` or `{token}`.",
  ),
  statuses: field(
    Schema.Array(
      Schema.Struct({
        when: When,
        status: field(Schema.Literals(reportStatuses), "All but `accepted` are final."),
      }),
    ),
    "The first condition that holds decides. If none holds, the outcome stays open.",
  ),
  message: Schema.optional(Source),
  evidence: optional(
    Schema.Record(Schema.String, Source),
    "The documented fields of the response that are kept with each report, by name. Values other than words, ids, times and numbers of at most six digits are not kept.",
  ),
  first: optional(
    duration,
    "Time before the first request, at least 1 second. Each wait is twice the one before.",
    '`"5 seconds"`',
  ),
  longest: optional(duration, "Longest wait.", '`"10 minutes"`'),
  end: optional(duration, "Time after which polling ends.", '`"1 day"`'),
})

export const Description: Schema.Decoder<HttpDescription> = record("HttpDescription", "", {
  name: optional(Schema.NonEmptyString, "The gateway's name.", "`http`"),
  channels: optional(
    Schema.Array(Schema.Literals(channels).annotate({ named: "Channel" })),
    "",
    "`sms` only",
  ),
  request: Request,
  recipient: optional(
    Schema.Literals(["plus", "digits", "national"]),
    "The format of `{to}`: `plus` is `+8801…`, `digits` is `8801…`, `national` is `01…`.",
    "`digits`",
  ),
  country: optional(
    Schema.Struct({ code: Schema.String, trunk: Schema.String }),
    'Required for `{toNational}`: `{ "code": "880", "trunk": "0" }`.',
  ),
  encodings: optional(
    Schema.Struct({ gsm7: Schema.String, unicode: Schema.String }),
    "The values of `{encoding}`, for texts in GSM-7 and for all others.",
  ),
  classes: optional(
    Schema.Struct({ transactional: Schema.String, promotional: Schema.String }),
    "The values of `{class}`, for messages of each class.",
    "`transactional` and `promotional`",
  ),
  secrets: optional(
    Schema.Array(Schema.String),
    "The names of placeholders that are filled with secrets.",
  ),
  values: optional(
    texts,
    "Your own placeholders with their defaults, which the options can replace.",
  ),
  outcomes: field(
    Schema.Array(
      Schema.Struct({
        when: When,
        means: Meaning,
        retryAfter: optional(duration, "For `throttled`."),
      }),
    ),
    "The meaning of responses. The first condition that holds decides. If none holds, the outcome is unknown.",
  ),
  id: optional(Source, "The vendor's id of the message.", "the token"),
  segments: optional(Source, "The number of segments that the vendor counts."),
  message: optional(Source, "The vendor's error message for a rejection."),
  code: optional(Source, "The vendor's code of the error."),
  meanings: optional(texts, "The meanings of the vendor's codes, for people. Requires `code`."),
  tokenLifetime: optional(
    duration,
    "How long the vendor refuses a repeated `{token}`.",
    '`"0 seconds"`',
  ),
  idLifetime: optional(duration, "How long the vendor does not reuse an `id`.", "unlimited"),
  poll: Schema.optional(Poll),
  timeout: optional(
    duration,
    "Longest time that a dispatch may take, up to 2 minutes.",
    '`"15 seconds"`',
  ),
})
