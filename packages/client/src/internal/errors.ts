/**
 * The errors of calls. `type` distinguishes all cases, and `code` those for which the service has a code. If
 * the service responded, `message` is its own sentence and `status` is the status of its response.
 */

interface Refusal<Type extends string, Status extends number | undefined, Code = Type> {
  readonly type: Type
  /** The service's code, the same as that of an error of `countersign`; `undefined` if the service has none. */
  readonly code: Code
  readonly message: string
  readonly status: Status
}

/** The input is invalid. `status` is `undefined` if it has an unknown field, so that the client sent no request. */
export interface InvalidRequest extends Refusal<"invalid_request", 400 | 422 | undefined> {
  /** Sentences about each invalid field, under this client's names; `{}` if the problem is not in a field. */
  readonly details: Readonly<Record<string, ReadonlyArray<string>>>
}

/**
 * The message or code cannot be sent as requested: the recipient is not on WhatsApp, or the sender of a message
 * is not usable. `code` is `undefined` if the response has no `Countersign-Error` header that says which.
 */
export interface NotSendable extends Refusal<
  "not_sendable",
  400,
  "not_on_whatsapp" | "sender_unusable" | undefined
> {}

/** The key is malformed, unknown, revoked or expired. The response does not say which. */
export interface Unauthorized extends Refusal<"unauthorized", 401> {}

/** The balance does not cover the price. */
export interface InsufficientBalance extends Refusal<"insufficient_balance", 402> {
  /** The price, in the account's currency. */
  readonly required: number
  /** The available balance, in the same currency. */
  readonly available: number
}

/** The key has scopes, and they do not include the endpoint. */
export interface InsufficientScope extends Refusal<"insufficient_scope", 403> {}

/** The address that the request came from is not on the organization's allow list. */
export interface AddressNotAllowed extends Refusal<"address_not_allowed", 403> {}

/** The request does not exist in this organization. */
export interface RequestNotFound extends Refusal<"request_not_found", 404> {}

/** The message is not in this organization's log, or retention has deleted it. */
export interface MessageNotFound extends Refusal<"message_not_found", 404> {}

/** The request was not verified in time. */
export interface RequestExpired extends Refusal<"request_expired", 410> {
  readonly requestId: string
}

/** The request has failed: its attempts are used up, its code could not be sent, or it was cancelled. */
export interface AttemptsExhausted extends Refusal<"attempts_exhausted", 429> {
  readonly requestId: string
}

/** The request is verified already: its code is not sent again, and it cannot be cancelled. */
export interface AlreadyVerified extends Refusal<"already_verified", 409> {
  readonly requestId: string
}

/** The request is pending: there is no verification to consume. */
export interface NotVerified extends Refusal<"not_verified", 409> {
  readonly requestId: string
}

/** The verification was consumed before. A check fails with it only if the service has the profile `nist`. */
export interface AlreadyConsumed extends Refusal<"already_consumed", 409> {
  readonly requestId: string
}

/** The first call with the idempotency key has no answer yet. */
export interface IdempotencyInFlight extends Refusal<"idempotency_in_flight", 409> {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
}

/** Another call has used the idempotency key in the last 24 hours. */
export interface IdempotencyMismatch extends Refusal<"idempotency_mismatch", 422> {}

/** Why a call with an idempotency key is not answered like the first one. */
type KeyError = IdempotencyInFlight | IdempotencyMismatch

/** The code was sent again as often as the limit allows. */
export interface ResendsExhausted extends Refusal<"resends_exhausted", 429> {}

/** The code is wrong, and attempts remain. */
export interface WrongCode extends Refusal<"wrong_code", 400> {
  readonly requestId: string
  readonly attemptsRemaining: number
}

/** The phone number has the maximum number of pending codes. */
export interface TooManyPending extends Refusal<"too_many_pending", 429> {
  /** Whole seconds, at least 1, until a pending code expires. Another request may take its place first. */
  readonly retryAfterSeconds: number
}

/** A rate limit was reached. */
export interface RateLimited extends Refusal<"rate_limited", 429> {
  /** Whole seconds, at least 1. Other requests may have used up the limit again by then. */
  readonly retryAfterSeconds: number
}

/**
 * The gateway did not accept the message. `failed`: nothing was sent, and the price is refunded. `unknown`: the
 * message may still arrive, its price is held until the outcome is known, and the log will show the outcome.
 */
export interface SendingFailed<Outcome extends "failed" | "unknown"> extends Refusal<
  "sending_failed",
  500
> {
  readonly outcome: Outcome
}

/** Errors after which the call may or may not have taken effect. */
interface Doubt {
  /**
   * Whether the call may have taken effect: a code or a message may have been sent or may still be sent, an
   * attempt may be used up, or the request may be cancelled or consumed. Always `false` for a call that only reads.
   */
  readonly mayHaveTakenEffect: boolean
}

/** The service has failed. */
export interface InternalError extends Refusal<"internal_error", 500, "internal">, Doubt {}

/**
 * The service is unavailable. Any charge will be refunded. The call has almost always done nothing; it may have
 * taken effect if the database became unavailable during a commit.
 */
export interface Unavailable extends Refusal<"unavailable", 503>, Doubt {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
}

/** The response does not come from the service, such as a proxy's page, or its body is incomplete. */
export interface UnexpectedResponse
  extends Refusal<"unexpected_response", number, undefined>, Doubt {
  /** The response's `Countersign-Error` header, such as `body_too_large`; `undefined` if it has none. */
  readonly reason: string | undefined
  /** The beginning of the body: at most 200 characters. */
  readonly text: string
}

interface NoAnswer<Type extends string> extends Refusal<Type, undefined, undefined>, Doubt {}

/** No response arrived within `timeout`. */
export interface Timeout extends NoAnswer<"timeout"> {}

/** The service could not be reached, or the connection broke before the response was complete. */
export interface Network extends NoAnswer<"network"> {
  /** The runtime's code, such as `ECONNREFUSED`; `undefined` if it has none. */
  readonly reason: string | undefined
}

/** The caller's `signal` aborted the call. */
export interface Aborted extends NoAnswer<"aborted"> {}

/** The errors that every call can return. */
export type CommonError =
  | InvalidRequest
  | Unauthorized
  | InsufficientScope
  | AddressNotAllowed
  | InternalError
  | Unavailable
  | UnexpectedResponse
  | Timeout
  | Network
  | Aborted

/** The errors of `verifications.send`. */
export type SendVerificationError =
  | KeyError
  | NotSendable
  | InsufficientBalance
  | RateLimited
  | TooManyPending
  | SendingFailed<"failed">
  | CommonError

/** The errors of `verifications.check`. */
export type CheckVerificationError =
  | WrongCode
  | RequestNotFound
  | AlreadyConsumed
  | RequestExpired
  | AttemptsExhausted
  | RateLimited
  | CommonError

/** The errors of `verifications.resend`. */
export type ResendVerificationError =
  | KeyError
  | NotSendable
  | InsufficientBalance
  | RequestNotFound
  | AlreadyVerified
  | RequestExpired
  | AttemptsExhausted
  | RateLimited
  | ResendsExhausted
  | SendingFailed<"failed">
  | CommonError

/** The errors of `verifications.cancel`. */
export type CancelVerificationError =
  | RequestNotFound
  | AlreadyVerified
  | RequestExpired
  | CommonError

/** The errors of `verifications.consume`. */
export type ConsumeVerificationError =
  | IdempotencyMismatch
  | RequestNotFound
  | NotVerified
  | AlreadyConsumed
  | RequestExpired
  | AttemptsExhausted
  | CommonError

/** The errors of `verifications.status`. */
export type VerificationStatusError = RequestNotFound | CommonError

/** The errors of `messages.send`. */
export type SendMessageError =
  | KeyError
  | NotSendable
  | InsufficientBalance
  | RateLimited
  | SendingFailed<"failed" | "unknown">
  | CommonError

/** The errors of `messages.list`. */
export type ListMessagesError = CommonError

/** The errors of `messages.get`. */
export type GetMessageError = MessageNotFound | CommonError

/** The errors of `balance`. */
export type BalanceError = CommonError
