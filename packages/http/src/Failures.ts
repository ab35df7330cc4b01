/**
 * The bodies of every answer that is not a success, as errors that a client
 * can tell apart by `_tag`. The tag stays out of the wire.
 */
import * as Schema from "effect/Schema"

const error = Schema.String.annotate({ description: "What went wrong, for people." })

const retryAfter = Schema.Int.annotate({
  description: "Whole seconds, at least 1, after which to try again; also in `Retry-After`.",
  examples: [12],
})

const amount = (description: string, example: number) =>
  Schema.Finite.annotate({ description, examples: [example] })

/** No key, or one that is malformed, unknown or revoked; which of them is not said. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  { _tag: Schema.tagDefaultOmit("Unauthorized"), error },
  { httpApiStatus: 401, description: "Invalid or revoked API key" },
) {
  override get message(): string {
    return this.error
  }
}

/** The address that the request came from is not on the organization's allow list. */
export class AddressNotAllowed extends Schema.Error<AddressNotAllowed>("AddressNotAllowed")(
  { _tag: Schema.tagDefaultOmit("AddressNotAllowed"), error },
  { httpApiStatus: 403, description: "Unauthorized IP address" },
) {
  override get message(): string {
    return this.error
  }
}

/** Some of what was sent is not acceptable. Answered with 422 or 400, as the endpoint has it. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  {
    _tag: Schema.tagDefaultOmit("InvalidRequest"),
    error,
    details: Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
      description:
        "For each field that is at fault, the sentences that say why. Empty when the body could not be read at all.",
      examples: [{ phone_number: ["must be in E.164 format with a leading plus"] }],
    }),
  },
  { description: "Validation failed" },
) {
  override get message(): string {
    return this.error
  }
}

/** The message cannot be sent as asked: no such sender, or the recipient is not on WhatsApp. */
export class NotSendable extends Schema.Error<NotSendable>("NotSendable")(
  { _tag: Schema.tagDefaultOmit("NotSendable"), error },
  {
    httpApiStatus: 400,
    description: "Recipient not on WhatsApp; brand not found or not approved",
  },
) {
  override get message(): string {
    return this.error
  }
}

/** The balance does not cover the price. */
export class InsufficientBalance extends Schema.Error<InsufficientBalance>("InsufficientBalance")(
  {
    _tag: Schema.tagDefaultOmit("InsufficientBalance"),
    error,
    required: amount("The price, in the account's currency.", 0.5),
    available: amount("What can be spent.", 0.25),
  },
  { httpApiStatus: 402, description: "Insufficient balance" },
) {
  override get message(): string {
    return this.error
  }
}

/** A limit on how often something may be done. */
export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(
  { _tag: Schema.tagDefaultOmit("RateLimited"), error, retry_after: retryAfter },
  { httpApiStatus: 429, description: "Rate limit exceeded" },
) {
  override get message(): string {
    return this.error
  }
}

/** The number has as many pending verifications as it may have. */
export class TooManyPending extends Schema.Error<TooManyPending>("TooManyPending")(
  { _tag: Schema.tagDefaultOmit("TooManyPending"), error },
  { httpApiStatus: 429, description: "Too many pending verifications for the number" },
) {
  override get message(): string {
    return this.error
  }
}

/**
 * The gateway did not take the message. `failed`: nothing was sent and nothing
 * is charged. `unknown`: it may still arrive, and the log will tell.
 */
export class SendingFailed extends Schema.Error<SendingFailed>("SendingFailed")(
  {
    _tag: Schema.tagDefaultOmit("SendingFailed"),
    error,
    status: Schema.Literals(["failed", "unknown"]).annotate({
      description:
        "`failed`: nothing was sent, and the charge was given back. `unknown`: the message may still arrive; the log tells what became of it.",
    }),
  },
  { httpApiStatus: 500, description: "Sending error" },
) {
  override get message(): string {
    return this.error
  }
}

/** The code could not be sent, or the service has failed. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(
  { _tag: Schema.tagDefaultOmit("InternalError"), error },
  { httpApiStatus: 500, description: "Internal error" },
) {
  override get message(): string {
    return this.error
  }
}

const requestId = Schema.String.annotate({ description: "As it was given in the request." })

/** The code is wrong, and there are attempts left. */
export class WrongCode extends Schema.Error<WrongCode>("WrongCode")(
  {
    _tag: Schema.tagDefaultOmit("WrongCode"),
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({
      request_id: requestId,
      status: Schema.Literal("pending"),
      attempts_remaining: Schema.Int.annotate({
        description: "Wrong codes that are still allowed.",
        examples: [2],
      }),
    }),
  },
  { httpApiStatus: 400, description: "Wrong code" },
) {
  override get message(): string {
    return this.error
  }
}

/** There is no such request in this organization. */
export class RequestNotFound extends Schema.Error<RequestNotFound>("RequestNotFound")(
  { _tag: Schema.tagDefaultOmit("RequestNotFound"), error },
  {
    httpApiStatus: 404,
    description: "Request not found, or not owned by the organization",
  },
) {
  override get message(): string {
    return this.error
  }
}

/** The request was not verified in time. */
export class RequestExpired extends Schema.Error<RequestExpired>("RequestExpired")(
  {
    _tag: Schema.tagDefaultOmit("RequestExpired"),
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({ request_id: requestId, status: Schema.Literal("expired") }),
  },
  { httpApiStatus: 410, description: "Expired request" },
) {
  override get message(): string {
    return this.error
  }
}

/** The request has failed: its attempts are used up, or its code could not be sent. */
export class AttemptsExhausted extends Schema.Error<AttemptsExhausted>("AttemptsExhausted")(
  {
    _tag: Schema.tagDefaultOmit("AttemptsExhausted"),
    success: Schema.Literal(false),
    error,
    data: Schema.Struct({ request_id: requestId, status: Schema.Literal("failed") }),
  },
  { httpApiStatus: 429, description: "Attempts exhausted" },
) {
  override get message(): string {
    return this.error
  }
}

/** The body is larger than the service reads. */
export class BodyTooLarge extends Schema.Error<BodyTooLarge>("BodyTooLarge")(
  { _tag: Schema.tagDefaultOmit("BodyTooLarge"), error },
  { httpApiStatus: 413, description: "Body over 64 KiB" },
) {
  override get message(): string {
    return this.error
  }
}

/** The body is not declared to be JSON. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>(
  "UnsupportedMediaType",
)(
  { _tag: Schema.tagDefaultOmit("UnsupportedMediaType"), error },
  { httpApiStatus: 415, description: "No `Content-Type: application/json`" },
) {
  override get message(): string {
    return this.error
  }
}

/** The service cannot answer now. Nothing was charged that will not be given back. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  { _tag: Schema.tagDefaultOmit("Unavailable"), error, retry_after: retryAfter },
  { httpApiStatus: 503, description: "Temporarily unavailable" },
) {
  override get message(): string {
    return this.error
  }
}
