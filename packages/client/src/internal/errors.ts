/**
 * What a call may come to instead of its data. `type` tells all cases apart, and `code` those that the service
 * has a code for. `message` is the service's own sentence where the service has spoken, and `status` is that of
 * its answer.
 */

interface Refusal<Type extends string, Status extends number, Code = Type> {
  readonly type: Type
  /** The service's code, the same as that of an error of `countersign`; `undefined` if the service has none. */
  readonly code: Code
  readonly message: string
  readonly status: Status
}

/** Some of what was sent is not acceptable. */
export interface InvalidRequest extends Refusal<"invalid_request", 400 | 422> {
  /** The sentences about each field, under this client's names; `{}` where no field is at fault. */
  readonly details: Readonly<Record<string, ReadonlyArray<string>>>
}

/**
 * It cannot be sent as asked: the recipient is not on WhatsApp, or a message's sender is not usable. `code` is
 * `undefined` if the answer has no `Countersign-Error` that says which.
 */
export interface NotSendable extends Refusal<
  "not_sendable",
  400,
  "not_on_whatsapp" | "sender_unusable" | undefined
> {}

/** The key is malformed, unknown or revoked; which of them is not said. */
export interface Unauthorized extends Refusal<"unauthorized", 401> {}

/** The balance does not cover the price. */
export interface InsufficientBalance extends Refusal<"insufficient_balance", 402> {
  /** The price, in the account's currency. */
  readonly required: number
  /** What can be spent, in the same. */
  readonly available: number
}

/** The address that the request came from is not on the organization's allow list. */
export interface AddressNotAllowed extends Refusal<"address_not_allowed", 403> {}

/** There is no such request in this organization. */
export interface RequestNotFound extends Refusal<"request_not_found", 404> {}

/** There is no such message in this organization's log, or it was dropped after its time. */
export interface MessageNotFound extends Refusal<"message_not_found", 404> {}

/** The request was not verified in time. */
export interface RequestExpired extends Refusal<"request_expired", 410> {
  readonly requestId: string
}

/** The request has failed: its attempts are used up, or its code could not be sent. */
export interface AttemptsExhausted extends Refusal<"attempts_exhausted", 429> {
  readonly requestId: string
}

/** The code is wrong, and there are attempts left. */
export interface WrongCode extends Refusal<"wrong_code", 400> {
  readonly requestId: string
  readonly attemptsRemaining: number
}

/** The number has as many pending codes as it may have. */
export interface TooManyPending extends Refusal<"too_many_pending", 429> {
  /** Whole seconds, at least 1. After them a place is free, unless another request has taken it. */
  readonly retryAfterSeconds: number
}

/** A limit on how often something may be done. */
export interface RateLimited extends Refusal<"rate_limited", 429> {
  /** Whole seconds, at least 1. A request after that wait gets through if nobody else came first. */
  readonly retryAfterSeconds: number
}

/**
 * The gateway did not take it. `failed`: nothing was sent, and the price is given back. `unknown`: it may
 * still arrive, the price is held until that is known, and the log will tell.
 */
export interface SendingFailed<Outcome extends "failed" | "unknown"> extends Refusal<
  "sending_failed",
  500
> {
  readonly outcome: Outcome
}

/** What leaves open whether anything was done. */
interface Doubt {
  /**
   * Whether the call may have done what it was to do: a code or a message may have gone out or may still
   * go out, an attempt may be used up. Never for a call that only reads.
   */
  readonly mayHaveTakenEffect: boolean
}

/** The service has failed at it. */
export interface InternalError extends Refusal<"internal_error", 500, "internal">, Doubt {}

/**
 * The service cannot answer now. Nothing is charged that will not be given back. Almost always nothing was
 * done at all; where its database went away in the middle of a commit, something was.
 */
export interface Unavailable extends Refusal<"unavailable", 503>, Doubt {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
}

/** An answer that is none of the service's: a proxy's page, a body that is cut off. */
export interface UnexpectedResponse
  extends Refusal<"unexpected_response", number, undefined>, Doubt {
  /** `Countersign-Error` of the answer, as in `body_too_large`; `undefined` if it has none. */
  readonly reason: string | undefined
  /** The beginning of the body: at most 200 characters. */
  readonly text: string
}

interface NoAnswer<Type extends string> extends Doubt {
  readonly type: Type
  readonly code: undefined
  readonly message: string
  readonly status: undefined
}

/** No answer came within `timeoutMillis`. */
export interface Timeout extends NoAnswer<"timeout"> {}

/** The service could not be reached, or the connection broke before the answer was complete. */
export interface Network extends NoAnswer<"network"> {
  /** The runtime's code, as in `ECONNREFUSED`; `undefined` if it has none. */
  readonly reason: string | undefined
}

/** The caller's `signal` has ended it. */
export interface Aborted extends NoAnswer<"aborted"> {}

/** What any call may come to. */
export type CommonError =
  | Unauthorized
  | AddressNotAllowed
  | InternalError
  | Unavailable
  | UnexpectedResponse
  | Timeout
  | Network
  | Aborted

/** Of `verifications.send`. */
export type SendVerificationError =
  | InvalidRequest
  | NotSendable
  | InsufficientBalance
  | RateLimited
  | TooManyPending
  | SendingFailed<"failed">
  | CommonError

/** Of `verifications.check`. */
export type CheckVerificationError =
  | InvalidRequest
  | WrongCode
  | RequestNotFound
  | RequestExpired
  | AttemptsExhausted
  | RateLimited
  | CommonError

/** Of `messages.send`. */
export type SendMessageError =
  | InvalidRequest
  | NotSendable
  | InsufficientBalance
  | RateLimited
  | SendingFailed<"failed" | "unknown">
  | CommonError

/** Of `messages.list`. */
export type ListMessagesError = InvalidRequest | CommonError

/** Of `messages.get`. */
export type GetMessageError = MessageNotFound | CommonError

/** Of `balance`. */
export type BalanceError = CommonError
