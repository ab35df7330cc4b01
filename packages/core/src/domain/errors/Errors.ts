/**
 * The errors that callers receive. No error contains a secret or a full phone number.
 */
import * as Schema from "effect/Schema"
import { failureReasons } from "../values/FailureReason.ts"
import { type FieldProblem, isFieldProblem } from "../values/FieldProblem.ts"

const fieldProblem = Schema.declare(isFieldProblem)

/** The request has invalid fields. `details` contains the problems of each invalid field. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  details: Schema.Record(Schema.String, Schema.Array(fieldProblem)),
}) {
  override get message(): string {
    return "The request is not valid"
  }
}

/** The problems of each invalid field, by its name. */
export type Details = Readonly<Record<string, ReadonlyArray<FieldProblem>>>

/** The key is missing, malformed, unknown, revoked, expired or of a suspended organization. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

/** The key is valid, but its scopes do not include this operation. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()(
  "InsufficientScope",
  {},
) {}

/** The address of the request is not on the organization's allow list. */
export class AddressNotAllowed extends Schema.TaggedError<AddressNotAllowed>()(
  "AddressNotAllowed",
  {},
) {}

/** The named sender does not exist, is of the wrong kind, or is not approved; `problem` says which. */
export class BrandUnusable extends Schema.TaggedError<BrandUnusable>()("BrandUnusable", {
  problem: fieldProblem,
}) {}

/**
 * A limit on the number or the cost of requests was reached. `retryAfterSeconds` is a whole number and at
 * least 1.
 *
 * - `rate`: too many requests in the limit's window.
 * - `client`: too many requests or checks of one client.
 * - `cooldown`: the code of the request was sent a moment ago.
 * - `guesses`: too many wrong codes for the phone number.
 * - `spending`: the organization's daily spending cap.
 * - `suspicion`: the host currently denies codes to numbers with this prefix.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Int,
  reason: Schema.Literals(["rate", "cooldown", "client", "guesses", "spending", "suspicion"]),
}) {}

/**
 * The number has reached its limit of pending verifications. After `retryAfterSeconds`, at least 1, a place
 * is free unless another request has taken it.
 */
export class TooManyPending extends Schema.TaggedError<TooManyPending>()("TooManyPending", {
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int,
}) {}

/** The recipient has no WhatsApp account. */
export class NotOnWhatsApp extends Schema.TaggedError<NotOnWhatsApp>()("NotOnWhatsApp", {}) {}

/** The balance does not cover the price. Both amounts are in units of `Money`. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()(
  "InsufficientBalance",
  {
    required: Schema.Int,
    available: Schema.Int,
  },
) {}

/**
 * The gateway did not accept the message, or no text could be rendered. `failed`: nothing was sent or
 * charged. `unknown`: the message may still arrive, and the price is held until the outcome is known.
 */
export class SendingFailed extends Schema.TaggedError<SendingFailed>()("SendingFailed", {
  status: Schema.Literals(["failed", "unknown"]),
  reason: Schema.Literals(failureReasons),
  /** The gateway that answered last. `null`: none was asked, or its answer is not known here. */
  gateway: Schema.NullOr(Schema.String),
  /** The vendor's code of the error, if it has one. */
  vendorCode: Schema.NullOr(Schema.String),
  /** The vendor's text, without the content of the message and without secrets. */
  vendorMessage: Schema.NullOr(Schema.String),
}) {}

/** There is no such verification request in this organization. */
export class RequestNotFound extends Schema.TaggedError<RequestNotFound>()("RequestNotFound", {}) {}

/** There is no such message in this organization's log, or retention has dropped it. */
export class MessageNotFound extends Schema.TaggedError<MessageNotFound>()("MessageNotFound", {}) {}

/** The code is wrong, and there are attempts left. */
export class WrongCode extends Schema.TaggedError<WrongCode>()("WrongCode", {
  requestId: Schema.String,
  attemptsRemaining: Schema.Int,
}) {}

/** The request has failed: its attempts are used up, its code could not be sent, or it was cancelled. */
export class AttemptsExhausted extends Schema.TaggedError<AttemptsExhausted>()(
  "AttemptsExhausted",
  {
    requestId: Schema.String,
  },
) {}

/** The request is verified already, so its code is neither sent again nor cancelled. */
export class AlreadyVerified extends Schema.TaggedError<AlreadyVerified>()("AlreadyVerified", {
  requestId: Schema.String,
}) {}

/** The request is pending, so there is no verification to consume. */
export class NotVerified extends Schema.TaggedError<NotVerified>()("NotVerified", {
  requestId: Schema.String,
}) {}

/** The verification was consumed by another call. */
export class AlreadyConsumed extends Schema.TaggedError<AlreadyConsumed>()("AlreadyConsumed", {
  requestId: Schema.String,
}) {}

/** Another call of the endpoint has used the idempotency key in the last 24 hours. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()(
  "IdempotencyMismatch",
  {},
) {}

/** The first call with the idempotency key has no answer yet. Repeat it later. */
export class IdempotencyInFlight extends Schema.TaggedError<IdempotencyInFlight>()(
  "IdempotencyInFlight",
  { retryAfterSeconds: Schema.Int },
) {}

/** The code of the request was sent as often as the limit allows. */
export class ResendsExhausted extends Schema.TaggedError<ResendsExhausted>()("ResendsExhausted", {
  requestId: Schema.String,
}) {}

/** The request was not verified in time. */
export class RequestExpired extends Schema.TaggedError<RequestExpired>()("RequestExpired", {
  requestId: Schema.String,
}) {}

export class OrganizationNotFound extends Schema.TaggedError<OrganizationNotFound>()(
  "OrganizationNotFound",
  {},
) {}

/** The organization has no sender with this id. */
export class BrandNotFound extends Schema.TaggedError<BrandNotFound>()("BrandNotFound", {}) {}

/** The organization has no API key with this id. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

/** The organization has no webhook with this id. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}

export class OrganizationExists extends Schema.TaggedError<OrganizationExists>()(
  "OrganizationExists",
  {},
) {}

/**
 * The store cannot answer now. The price of a message that was charged without an answer is refunded at the
 * settlement deadline.
 *
 * A top-up or an adjustment may have been booked. Repeat it with the same payment id, which books it once.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.Literals(["overloaded", "timeout", "connection", "secret"]),
  retryAfterSeconds: Schema.Int,
}) {}
