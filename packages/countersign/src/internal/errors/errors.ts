import { httpStatuses as engineStatuses } from "@countersign/core/domain/errors/ErrorCode"
import type { FailureReason } from "@countersign/core/domain/values/FailureReason"
import type { FieldProblem, FieldProblems } from "./fieldProblem.ts"

/** The HTTP status of each error code. `invalid_request` has the 400 of verifications, not the 422 of messages. */
export const httpStatuses = {
  ...engineStatuses,
  configuration: 500,
  disposed: 503,
  start: 500,
} as const

/** The code of an error. */
export type ErrorCode = keyof typeof httpStatuses

/** Marks the errors of every copy of this package, whose classes differ. Registered symbols are equal. */
const mark: symbol = Symbol.for("countersign/CountersignError")

const isMarked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && mark in value

abstract class BaseError<Code extends ErrorCode> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    Object.defineProperty(this.prototype, mark, { value: true })
  }

  /** The HTTP status for an app's response to this error, from `httpStatuses`. */
  get httpStatus(): (typeof httpStatuses)[Code] {
    return httpStatuses[this.code]
  }

  override get name(): string {
    return this.constructor.name
  }
}

const messages = {
  address_not_allowed: "The address is not on the allow list",
  already_consumed: "The verification was used before",
  already_verified: "The request is verified already",
  api_key_not_found: "There is no such API key",
  attempts_exhausted: "The verification has failed: ask for a new code",
  idempotency_mismatch: "Another call has used this idempotency key",
  insufficient_scope: "The scopes of the API key do not include this operation",
  message_not_found: "There is no such message",
  not_on_whatsapp: "The number is not on WhatsApp",
  not_verified: "The request is not verified yet",
  organization_exists: "There is an organization with this id already",
  organization_not_found: "There is no such organization",
  request_expired: "The code has expired: ask for a new one",
  request_not_found: "There is no such verification request",
  resends_exhausted: "The code cannot be sent again for this request",
  sender_not_found: "There is no such sender",
  unauthorized: "The API key is missing, malformed, unknown, revoked or expired",
  webhook_not_found: "There is no such webhook",
} as const

/** Returns the class of an error without parameters. */
const errorOf = <Code extends keyof typeof messages>(code: Code): new () => BaseError<Code> =>
  class extends BaseError<Code> {
    constructor() {
      super(code, messages[code])
    }
  }

/** Any error of this package. `code` narrows it: `wrong_code` has `error.attemptsRemaining`. */
export type CountersignError =
  | AddressNotAllowedError
  | AlreadyConsumedError
  | AlreadyVerifiedError
  | ApiKeyNotFoundError
  | AttemptsExhaustedError
  | ConfigurationError
  | DisposedError
  | IdempotencyInFlightError
  | IdempotencyMismatchError
  | InsufficientBalanceError
  | InsufficientScopeError
  | InternalError
  | InvalidRequestError
  | MessageNotFoundError
  | NotOnWhatsAppError
  | NotVerifiedError
  | OrganizationExistsError
  | OrganizationNotFoundError
  | RateLimitedError
  | RequestExpiredError
  | RequestNotFoundError
  | ResendsExhaustedError
  | SenderNotFoundError
  | SenderUnusableError
  | SendingFailedError
  | StartError
  | TooManyPendingError
  | UnauthorizedError
  | UnavailableError
  | WebhookNotFoundError
  | WrongCodeError

/** Whether a value is an error of this package. Errors of a second copy of the package are recognized as well. */
export const isCountersignError = (value: unknown): value is CountersignError => isMarked(value)

/** For `error instanceof CountersignError`, which is the same as `isCountersignError(error)`. */
export const CountersignError: (abstract new (...args: never) => Error) & {
  /** The same as `isCountersignError`. */
  readonly [Symbol.hasInstance]: (value: unknown) => value is CountersignError
} = class extends Error {
  static override [Symbol.hasInstance](value: unknown): value is CountersignError {
    return isCountersignError(value)
  }
}

/** The options of `createCountersign` are invalid. Nothing has been started. */
export class ConfigurationError extends BaseError<"configuration"> {
  constructor(message: string) {
    super("configuration", message)
  }
}

/**
 * The engine could not be started: the database does not respond or refuses the connection, or another process
 * uses the data folder. The message names the host, the port and the database, or the process that has the
 * folder open.
 */
export class StartError extends BaseError<"start"> {
  constructor(message: string, options?: ErrorOptions) {
    super("start", message, options)
  }
}

/**
 * The engine has ended because of `dispose`, or because a block with `await using` ended. `refused`: the call
 * came later and did nothing. `unknown`: the call took longer than `dispose` waits and may have taken effect.
 */
export class DisposedError extends BaseError<"disposed"> {
  readonly status: "refused" | "unknown"

  constructor(status: "refused" | "unknown" = "refused") {
    super(
      "disposed",
      status === "refused"
        ? "This Countersign has been disposed"
        : "This Countersign was disposed before the call ended: the call may have taken effect",
    )
    this.status = status
  }
}

/** The input is invalid. */
export class InvalidRequestError extends BaseError<"invalid_request"> {
  /** The problems of each invalid field, by the field's name. */
  readonly details: FieldProblems

  constructor(details: FieldProblems) {
    const reasons = Object.entries(details).flatMap(([field, problems]) =>
      problems.map(({ message }) => `${field} ${message}`),
    )
    super("invalid_request", reasons.length === 0 ? "The request is not valid" : reasons.join("; "))
    this.details = details
  }
}

/** The named sender does not exist, is of the wrong kind, or is not approved. */
export class SenderUnusableError extends BaseError<"sender_unusable"> {
  /** The reason. Its `code` begins with `brand_`, or is `no_default_brand`. */
  readonly problem: FieldProblem

  constructor(problem: FieldProblem) {
    super("sender_unusable", problem.message)
    this.problem = problem
  }
}

/**
 * The exceeded limit. `rate`: too many requests in a window. `client`: too many of one client. `cooldown`: the code of this request was sent a
 * moment ago. `guesses`: too many wrong codes for the phone number, see `Limits.guessesPerNumber` and
 * `Limits.guessesSinceSuccess`. `spending`: the organization's daily limit. `suspicion`: fraud detection refuses
 * codes to phone numbers with this prefix for now.
 */
export type RateLimitReason = "rate" | "client" | "cooldown" | "guesses" | "spending" | "suspicion"

const tooMuch: { readonly [K in RateLimitReason]: string } = {
  rate: "Too many requests",
  client: "Too many requests of this client",
  cooldown: "The code was sent a moment ago",
  guesses: "Too many wrong codes for this phone number",
  spending: "The organization may not spend more today",
  suspicion: "Numbers like this one are not served for now",
}

/** A limit on the number of requests or on the amount spent was reached. */
export class RateLimitedError extends BaseError<"rate_limited"> {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
  readonly reason: RateLimitReason

  constructor(retryAfterSeconds: number, reason: RateLimitReason = "rate") {
    super("rate_limited", `${tooMuch[reason]}: try again in ${retryAfterSeconds} seconds`)
    this.retryAfterSeconds = retryAfterSeconds
    this.reason = reason
  }
}

/** The phone number has the maximum number of pending codes. */
export class TooManyPendingError extends BaseError<"too_many_pending"> {
  readonly limit: number
  /** Whole seconds, at least 1, until a pending code expires. Another request may take its place first. */
  readonly retryAfterSeconds: number

  constructor(limit: number, retryAfterSeconds: number) {
    super(
      "too_many_pending",
      `The number has ${limit} pending verifications, and may not have more: try again in ${retryAfterSeconds} seconds`,
    )
    this.limit = limit
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The recipient has no WhatsApp account. */
export class NotOnWhatsAppError extends errorOf("not_on_whatsapp") {}

/** The balance does not cover the price. */
export class InsufficientBalanceError extends BaseError<"insufficient_balance"> {
  /** Decimals, as in `"0.50"`. */
  readonly required: string
  readonly available: string

  constructor(required: string, available: string) {
    super(
      "insufficient_balance",
      `The balance is ${available}, and ${required} is needed: top up with account.topUp`,
    )
    this.required = required
    this.available = available
  }
}

/**
 * The gateway did not accept the message. `failed`: nothing was sent and nothing is charged. `unknown`: the
 * message may still arrive, and its price is held until the outcome is known.
 */
export class SendingFailedError extends BaseError<"sending_failed"> {
  readonly status: "failed" | "unknown"
  readonly reason: FailureReason
  /** The gateway that answered last. `null`: none was asked, or its answer is not known here. */
  readonly gateway: string | null
  /** The vendor's code of the error, if it has one. */
  readonly vendorCode: string | null
  /** The vendor's text, without the content of the message and without secrets. */
  readonly vendorMessage: string | null

  constructor(failure: SendingFailure) {
    super("sending_failed", sentenceOf(failure))
    this.status = failure.status
    this.reason = failure.reason
    this.gateway = failure.gateway
    this.vendorCode = failure.vendorCode
    this.vendorMessage = failure.vendorMessage
  }
}

type SendingFailure = Pick<
  SendingFailedError,
  "gateway" | "reason" | "status" | "vendorCode" | "vendorMessage"
>

const sentenceOf = ({ gateway, reason, status, vendorMessage }: SendingFailure): string => {
  const sentence =
    status === "failed"
      ? "The message was not sent; nothing was charged"
      : "It is not known whether the message was sent"
  return gateway === null
    ? `${sentence} (${reason})`
    : `${sentence} (${gateway}, ${reason}): ${vendorMessage ?? ""}`
}

/** There is no such verification request. */
export class RequestNotFoundError extends errorOf("request_not_found") {}

/** The message is not in the organization's log, or retention has deleted it. */
export class MessageNotFoundError extends errorOf("message_not_found") {}

/** The code is wrong, and attempts remain. */
export class WrongCodeError extends BaseError<"wrong_code"> {
  readonly attemptsRemaining: number

  constructor(attemptsRemaining: number) {
    super("wrong_code", `The code is wrong; attempts left: ${attemptsRemaining}`)
    this.attemptsRemaining = attemptsRemaining
  }
}

/** The request has failed: its attempts are used up, its code could not be sent, or it was cancelled. */
export class AttemptsExhaustedError extends errorOf("attempts_exhausted") {}

/** The request is verified already, so its code is neither sent again nor cancelled. */
export class AlreadyVerifiedError extends errorOf("already_verified") {}

/** The request is pending, so there is no verification to consume. */
export class NotVerifiedError extends errorOf("not_verified") {}

/** The verification was consumed by another call. */
export class AlreadyConsumedError extends errorOf("already_consumed") {}

/** The code of the request was sent as often as the limit `resends` allows. */
export class ResendsExhaustedError extends errorOf("resends_exhausted") {}

/** Another call has used the idempotency key in the last 24 hours. */
export class IdempotencyMismatchError extends errorOf("idempotency_mismatch") {}

/** The first call with the idempotency key has no answer yet. */
export class IdempotencyInFlightError extends BaseError<"idempotency_in_flight"> {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super(
      "idempotency_in_flight",
      `The first call with this idempotency key has no answer yet: try again in ${retryAfterSeconds} seconds`,
    )
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The request was not verified in time. */
export class RequestExpiredError extends errorOf("request_expired") {}

/** No organization has this id. */
export class OrganizationNotFoundError extends errorOf("organization_not_found") {}

/** An organization with this id exists already. */
export class OrganizationExistsError extends errorOf("organization_exists") {}

/** The organization has no API key with this id. */
export class ApiKeyNotFoundError extends errorOf("api_key_not_found") {}

/** The organization has no webhook with this id. */
export class WebhookNotFoundError extends errorOf("webhook_not_found") {}

/** The organization has no sender with this id. */
export class SenderNotFoundError extends errorOf("sender_not_found") {}

/** The API key is valid, but its scopes do not include the operation. */
export class InsufficientScopeError extends errorOf("insufficient_scope") {}

/** The API key is missing, malformed, unknown, revoked or expired, or its organization is suspended. */
export class UnauthorizedError extends errorOf("unauthorized") {}

/** The address is not on the organization's allow list. */
export class AddressNotAllowedError extends errorOf("address_not_allowed") {}

/**
 * The database is unavailable. Any charge will be refunded. A top-up or an adjustment that rejects with this
 * error may have been booked: repeat it with the same `paymentId`, which books it once.
 */
export class UnavailableError extends BaseError<"unavailable"> {
  /** `secret`: the code was made under a secret that this process does not have, as while a new one is introduced. */
  readonly reason: "overloaded" | "timeout" | "connection" | "secret"
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number

  constructor(reason: UnavailableError["reason"], retryAfterSeconds: number) {
    super(
      "unavailable",
      reason === "secret"
        ? "The code is under a secret that this process does not have: another process can check it"
        : `The database cannot answer now (${reason})`,
    )
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A bug in this package or in a gateway. `cause` contains details. */
export class InternalError extends BaseError<"internal"> {
  constructor(cause: unknown) {
    super("internal", "Something went wrong inside the engine", { cause })
  }
}
