/**
 * The bodies of all error responses, as errors that a client distinguishes by `_tag`. The tag is not part of
 * the wire format.
 */
import * as Schema from "effect/Schema"
import { type FailureCode, statuses } from "../mount/internal/statuses.ts"
import { keywords } from "../mount/internal/keywords.ts"

const error = Schema.String.annotate({ description: "A message for people." })

class Failure extends Schema.Error<Failure>("Failure")({ error }) {
  override get message(): string {
    return this.error
  }
}

/** A failed check of a code. */
class FailedCheck extends Schema.Error<FailedCheck>("FailedCheck")({
  success: Schema.Literal(false),
  error,
}) {
  override get message(): string {
    return this.error
  }
}

const response = (code: FailureCode, description: string) => ({
  httpApiStatus: statuses[code],
  description,
})

const retryAfter = Schema.Int.annotate({
  description: "Seconds to wait before the next try. Same value as the header `Retry-After`.",
  examples: [12],
}).check(keywords({ minimum: 1 }))

const amount = (description: string, example: number) =>
  Schema.Finite.annotate({ description, examples: [example] })

/** The API key is missing, malformed, unknown, revoked or expired. The response does not say which. */
export class Unauthorized extends Failure.extend<Unauthorized>("Unauthorized")(
  {},
  response("unauthorized", "Invalid, revoked or expired API key"),
) {
  readonly _tag = "Unauthorized"
}

/** The scopes of the key do not include the endpoint, or the address is not on the organization's allow list. */
export class Forbidden extends Failure.extend<Forbidden>("Forbidden")(
  {},
  response(
    "insufficient_scope",
    "Endpoint not in the scopes of the key, or IP address not allowed",
  ),
) {
  readonly _tag = "Forbidden"
}

/** The input is invalid. The status is 422 or 400, depending on the endpoint. */
export class InvalidRequest extends Failure.extend<InvalidRequest>("InvalidRequest")(
  {
    details: Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
      description:
        "The problems of each invalid field, by its name. Empty if the body is not a JSON object.",
      examples: [{ phone_number: ["must be in E.164 format with a leading plus"] }],
    }),
  },
  { description: "Validation failed" },
) {
  readonly _tag = "InvalidRequest"
}

/** The message cannot be sent as requested: the sender does not exist, or the recipient is not on WhatsApp. */
export class NotSendable extends Failure.extend<NotSendable>("NotSendable")(
  {},
  response("not_on_whatsapp", "Recipient not on WhatsApp; brand not found or not approved"),
) {
  readonly _tag = "NotSendable"
}

/** The balance does not cover the price. */
export class InsufficientBalance extends Failure.extend<InsufficientBalance>("InsufficientBalance")(
  {
    required: amount("The price, in the account's currency.", 0.5),
    available: amount("The amount that is available.", 0.25),
  },
  response("insufficient_balance", "Insufficient balance"),
) {
  readonly _tag = "InsufficientBalance"
}

/** A rate limit was reached. */
export class RateLimited extends Failure.extend<RateLimited>("RateLimited")(
  { retry_after: retryAfter },
  response("rate_limited", "Rate limit exceeded"),
) {
  readonly _tag = "RateLimited"
}

/** The phone number has the maximum number of pending verifications. */
export class TooManyPending extends Failure.extend<TooManyPending>("TooManyPending")(
  {},
  response("too_many_pending", "Too many pending verifications for the number"),
) {
  readonly _tag = "TooManyPending"
}

/**
 * The gateway did not accept the message. `failed`: nothing was sent and nothing is charged. `unknown`: the
 * message may still arrive, and the log will show its outcome.
 */
export class SendingFailed extends Failure.extend<SendingFailed>("SendingFailed")(
  {
    status: Schema.Literals(["failed", "unknown"]).annotate({
      description:
        "`failed`: the message was not sent and costs nothing. `unknown`: the message may still arrive, and the log shows its status.",
    }),
  },
  response("sending_failed", "Sending error"),
) {
  readonly _tag = "SendingFailed"
}

/** The code could not be sent, or the service has failed. */
export class InternalError extends Failure.extend<InternalError>("InternalError")(
  {},
  response("internal", "Internal error"),
) {
  readonly _tag = "InternalError"
}

const requestId = Schema.String.annotate({
  description: "`request_id` of the request.",
}).check(keywords({ minLength: 1 }))

/** The code is wrong, and attempts remain. */
export class WrongCode extends FailedCheck.extend<WrongCode>("WrongCode")(
  {
    data: Schema.Struct({
      request_id: requestId,
      status: Schema.Literal("pending"),
      attempts_remaining: Schema.Int.annotate({
        description: "Number of wrong codes that are still allowed.",
        examples: [2],
      }).check(keywords({ minimum: 1 })),
    }),
  },
  response("wrong_code", "Wrong code"),
) {
  readonly _tag = "WrongCode"
}

/** The request does not exist in this organization. */
export class RequestNotFound extends Failure.extend<RequestNotFound>("RequestNotFound")(
  {},
  response("request_not_found", "Request not found, or not owned by the organization"),
) {
  readonly _tag = "RequestNotFound"
}

/** The message is not in this organization's log, or retention has deleted it. */
export class MessageNotFound extends Failure.extend<MessageNotFound>("MessageNotFound")(
  {},
  response("message_not_found", "Message not found, or not owned by the organization"),
) {
  readonly _tag = "MessageNotFound"
}

/** The service signs no proofs, so it has no public keys. */
export class KeysNotFound extends Failure.extend<KeysNotFound>("KeysNotFound")(
  {},
  response("not_found", "The service signs no proofs"),
) {
  readonly _tag = "KeysNotFound"
}

/** The request was not verified in time. */
export class RequestExpired extends FailedCheck.extend<RequestExpired>("RequestExpired")(
  { data: Schema.Struct({ request_id: requestId, status: Schema.Literal("expired") }) },
  response("request_expired", "Expired request"),
) {
  readonly _tag = "RequestExpired"
}

/** The request has failed: its attempts are used up, its code could not be sent, or it was cancelled. */
export class AttemptsExhausted extends FailedCheck.extend<AttemptsExhausted>("AttemptsExhausted")(
  { data: Schema.Struct({ request_id: requestId, status: Schema.Literal("failed") }) },
  response("attempts_exhausted", "Attempts exhausted"),
) {
  readonly _tag = "AttemptsExhausted"
}

/** The request is verified already: its code is not sent again, and it cannot be cancelled. */
export class AlreadyVerified extends FailedCheck.extend<AlreadyVerified>("AlreadyVerified")(
  { data: Schema.Struct({ request_id: requestId, status: Schema.Literal("verified") }) },
  response("already_verified", "Verified already"),
) {
  readonly _tag = "AlreadyVerified"
}

/** The request is pending: there is no verification to consume. */
export class NotVerified extends FailedCheck.extend<NotVerified>("NotVerified")(
  { data: Schema.Struct({ request_id: requestId, status: Schema.Literal("pending") }) },
  response("not_verified", "Not verified yet"),
) {
  readonly _tag = "NotVerified"
}

/** Another call has consumed the verification. */
export class AlreadyConsumed extends FailedCheck.extend<AlreadyConsumed>("AlreadyConsumed")(
  { data: Schema.Struct({ request_id: requestId, status: Schema.Literal("verified") }) },
  response("already_consumed", "Consumed before"),
) {
  readonly _tag = "AlreadyConsumed"
}

/** Another call has used the idempotency key in the last 24 hours. */
export class IdempotencyMismatch extends Failure.extend<IdempotencyMismatch>("IdempotencyMismatch")(
  {},
  response("idempotency_mismatch", "Idempotency key of another call"),
) {
  readonly _tag = "IdempotencyMismatch"
}

/** The first call with the idempotency key has no answer yet. */
export class IdempotencyInFlight extends Failure.extend<IdempotencyInFlight>("IdempotencyInFlight")(
  { retry_after: retryAfter },
  response("idempotency_in_flight", "The first call with the key has no answer yet"),
) {
  readonly _tag = "IdempotencyInFlight"
}

/** The code was sent again as often as the limit allows. */
export class ResendsExhausted extends Failure.extend<ResendsExhausted>("ResendsExhausted")(
  {},
  response("resends_exhausted", "The code cannot be sent again for this request"),
) {
  readonly _tag = "ResendsExhausted"
}

/** The body is larger than `maxBodyBytes`. */
export class BodyTooLarge extends Failure.extend<BodyTooLarge>("BodyTooLarge")(
  {},
  response("body_too_large", "Body over 64 KiB"),
) {
  readonly _tag = "BodyTooLarge"
}

/** The body is not declared to be JSON. */
export class UnsupportedMediaType extends Failure.extend<UnsupportedMediaType>(
  "UnsupportedMediaType",
)({}, response("unsupported_media_type", "No `Content-Type: application/json`")) {
  readonly _tag = "UnsupportedMediaType"
}

/** The service is unavailable. Any charge will be refunded. */
export class Unavailable extends Failure.extend<Unavailable>("Unavailable")(
  { retry_after: retryAfter },
  response("unavailable", "Temporarily unavailable"),
) {
  readonly _tag = "Unavailable"
}
