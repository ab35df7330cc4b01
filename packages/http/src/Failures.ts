/**
 * The bodies of all error responses, as errors that a client distinguishes by `_tag`. The tag is not part of
 * the wire format.
 */
import * as Schema from "effect/Schema"
import { statuses } from "./internal/statuses.ts"
import { keywords } from "./internal/keywords.ts"

const error = Schema.String.annotate({ description: "A message for people." })

const retryAfter = Schema.Int.annotate({
  description: "Seconds to wait before the next try. Same value as the header `Retry-After`.",
  examples: [12],
}).check(keywords({ minimum: 1 }))

const amount = (description: string, example: number) =>
  Schema.Finite.annotate({ description, examples: [example] })

/** The API key is missing, malformed, unknown or revoked. The response does not say which. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  Schema.Struct({ error }).annotate({ identifier: "Unauthorized" }),
  { httpApiStatus: statuses.unauthorized, description: "Invalid or revoked API key" },
) {
  readonly _tag = "Unauthorized"

  override get message(): string {
    return this.error
  }
}

/** The address that the request came from is not on the organization's allow list. */
export class AddressNotAllowed extends Schema.Error<AddressNotAllowed>("AddressNotAllowed")(
  Schema.Struct({ error }).annotate({ identifier: "AddressNotAllowed" }),
  { httpApiStatus: statuses.address_not_allowed, description: "IP address not on the allow list" },
) {
  readonly _tag = "AddressNotAllowed"

  override get message(): string {
    return this.error
  }
}

/** The input is invalid. The status is 422 or 400, depending on the endpoint. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  Schema.Struct({
    error,
    details: Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
      description:
        "The problems of each invalid field, by its name. Empty if the body is not a JSON object.",
      examples: [{ phone_number: ["must be in E.164 format with a leading plus"] }],
    }),
  }).annotate({ identifier: "InvalidRequest" }),
  { description: "Validation failed" },
) {
  readonly _tag = "InvalidRequest"

  override get message(): string {
    return this.error
  }
}

/** The message cannot be sent as requested: the sender does not exist, or the recipient is not on WhatsApp. */
export class NotSendable extends Schema.Error<NotSendable>("NotSendable")(
  Schema.Struct({ error }).annotate({ identifier: "NotSendable" }),
  {
    httpApiStatus: statuses.not_on_whatsapp,
    description: "Recipient not on WhatsApp; brand not found or not approved",
  },
) {
  readonly _tag = "NotSendable"

  override get message(): string {
    return this.error
  }
}

/** The balance does not cover the price. */
export class InsufficientBalance extends Schema.Error<InsufficientBalance>("InsufficientBalance")(
  Schema.Struct({
    error,
    required: amount("The price, in the account's currency.", 0.5),
    available: amount("The amount that is available.", 0.25),
  }).annotate({ identifier: "InsufficientBalance" }),
  { httpApiStatus: statuses.insufficient_balance, description: "Insufficient balance" },
) {
  readonly _tag = "InsufficientBalance"

  override get message(): string {
    return this.error
  }
}

/** A rate limit was reached. */
export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(
  Schema.Struct({ error, retry_after: retryAfter }).annotate({ identifier: "RateLimited" }),
  { httpApiStatus: statuses.rate_limited, description: "Rate limit exceeded" },
) {
  readonly _tag = "RateLimited"

  override get message(): string {
    return this.error
  }
}

/** The phone number has the maximum number of pending verifications. */
export class TooManyPending extends Schema.Error<TooManyPending>("TooManyPending")(
  Schema.Struct({ error }).annotate({ identifier: "TooManyPending" }),
  {
    httpApiStatus: statuses.too_many_pending,
    description: "Too many pending verifications for the number",
  },
) {
  readonly _tag = "TooManyPending"

  override get message(): string {
    return this.error
  }
}

/**
 * The gateway did not accept the message. `failed`: nothing was sent and nothing is charged. `unknown`: the
 * message may still arrive, and the log will show its outcome.
 */
export class SendingFailed extends Schema.Error<SendingFailed>("SendingFailed")(
  Schema.Struct({
    error,
    status: Schema.Literals(["failed", "unknown"]).annotate({
      description:
        "`failed`: the message was not sent and costs nothing. `unknown`: the message may still arrive, and the log shows its status.",
    }),
  }).annotate({ identifier: "SendingFailed" }),
  { httpApiStatus: statuses.sending_failed, description: "Sending error" },
) {
  readonly _tag = "SendingFailed"

  override get message(): string {
    return this.error
  }
}

/** The code could not be sent, or the service has failed. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(
  Schema.Struct({ error }).annotate({ identifier: "InternalError" }),
  { httpApiStatus: statuses.internal, description: "Internal error" },
) {
  readonly _tag = "InternalError"

  override get message(): string {
    return this.error
  }
}

const requestId = Schema.String.annotate({
  description: "`request_id` of the request.",
}).check(keywords({ minLength: 1 }))

/** The code is wrong, and attempts remain. */
export class WrongCode extends Schema.Error<WrongCode>("WrongCode")(
  Schema.Struct({
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({
      request_id: requestId,
      status: Schema.Literal("pending"),
      attempts_remaining: Schema.Int.annotate({
        description: "Number of wrong codes that are still allowed.",
        examples: [2],
      }).check(keywords({ minimum: 1 })),
    }),
  }).annotate({ identifier: "WrongCode" }),
  { httpApiStatus: statuses.wrong_code, description: "Wrong code" },
) {
  readonly _tag = "WrongCode"

  override get message(): string {
    return this.error
  }
}

/** The request does not exist in this organization. */
export class RequestNotFound extends Schema.Error<RequestNotFound>("RequestNotFound")(
  Schema.Struct({ error }).annotate({ identifier: "RequestNotFound" }),
  {
    httpApiStatus: statuses.request_not_found,
    description: "Request not found, or not owned by the organization",
  },
) {
  readonly _tag = "RequestNotFound"

  override get message(): string {
    return this.error
  }
}

/** The message is not in this organization's log, or retention has deleted it. */
export class MessageNotFound extends Schema.Error<MessageNotFound>("MessageNotFound")(
  Schema.Struct({ error }).annotate({ identifier: "MessageNotFound" }),
  {
    httpApiStatus: statuses.message_not_found,
    description: "Message not found, or not owned by the organization",
  },
) {
  readonly _tag = "MessageNotFound"

  override get message(): string {
    return this.error
  }
}

/** The request was not verified in time. */
export class RequestExpired extends Schema.Error<RequestExpired>("RequestExpired")(
  Schema.Struct({
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({ request_id: requestId, status: Schema.Literal("expired") }),
  }).annotate({ identifier: "RequestExpired" }),
  { httpApiStatus: statuses.request_expired, description: "Expired request" },
) {
  readonly _tag = "RequestExpired"

  override get message(): string {
    return this.error
  }
}

/** The request has failed: its attempts are used up, or its code could not be sent. */
export class AttemptsExhausted extends Schema.Error<AttemptsExhausted>("AttemptsExhausted")(
  Schema.Struct({
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({ request_id: requestId, status: Schema.Literal("failed") }),
  }).annotate({ identifier: "AttemptsExhausted" }),
  { httpApiStatus: statuses.attempts_exhausted, description: "Attempts exhausted" },
) {
  readonly _tag = "AttemptsExhausted"

  override get message(): string {
    return this.error
  }
}

/** The body is larger than `maxBodyBytes`. */
export class BodyTooLarge extends Schema.Error<BodyTooLarge>("BodyTooLarge")(
  Schema.Struct({ error }).annotate({ identifier: "BodyTooLarge" }),
  { httpApiStatus: statuses.body_too_large, description: "Body over 64 KiB" },
) {
  readonly _tag = "BodyTooLarge"

  override get message(): string {
    return this.error
  }
}

/** The body is not declared to be JSON. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>(
  "UnsupportedMediaType",
)(Schema.Struct({ error }).annotate({ identifier: "UnsupportedMediaType" }), {
  httpApiStatus: statuses.unsupported_media_type,
  description: "No `Content-Type: application/json`",
}) {
  readonly _tag = "UnsupportedMediaType"

  override get message(): string {
    return this.error
  }
}

/** The service is unavailable. Any charge will be refunded. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  Schema.Struct({ error, retry_after: retryAfter }).annotate({ identifier: "Unavailable" }),
  { httpApiStatus: statuses.unavailable, description: "Temporarily unavailable" },
) {
  readonly _tag = "Unavailable"

  override get message(): string {
    return this.error
  }
}
