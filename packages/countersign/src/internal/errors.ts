/**
 * The errors of this package: one class for each reason. `code` distinguishes them without the class.
 */
import { BaseError, isMarked } from "./baseError.ts"
import type { FieldProblem, FieldProblems } from "./fieldProblem.ts"

export { type ErrorCode, httpStatuses } from "./baseError.ts"

/**
 * Any error of this package. `code` narrows the type: after `error.code === "wrong_code"`, TypeScript knows
 * `error.attemptsRemaining`.
 */
export type CountersignError =
  | AddressNotAllowedError
  | ApiKeyNotFoundError
  | AttemptsExhaustedError
  | ConfigurationError
  | DisposedError
  | InsufficientBalanceError
  | InternalError
  | InvalidRequestError
  | MessageNotFoundError
  | NotOnWhatsAppError
  | OrganizationExistsError
  | OrganizationNotFoundError
  | RateLimitedError
  | RequestExpiredError
  | RequestNotFoundError
  | SenderUnusableError
  | SendingFailedError
  | StartError
  | TooManyPendingError
  | UnauthorizedError
  | UnavailableError
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
  readonly code = "configuration"
}

/**
 * The engine could not be started: the database does not respond or refuses the connection, or another process
 * uses the data folder. The message names the host, the port and the database, or the process that has the
 * folder open.
 */
export class StartError extends BaseError<"start"> {
  readonly code = "start"
}

/**
 * The engine has ended because of `dispose`, or because a block with `await using` ended. `refused`: the call
 * came later and did nothing. `unknown`: the call took longer than `dispose` waits and may have taken effect.
 */
export class DisposedError extends BaseError<"disposed"> {
  readonly code = "disposed"
  readonly status: "refused" | "unknown"

  constructor(status: "refused" | "unknown" = "refused") {
    super(
      status === "refused"
        ? "This Countersign has been disposed"
        : "This Countersign was disposed before the call ended: the call may have taken effect",
    )
    this.status = status
  }
}

/** The input is invalid. */
export class InvalidRequestError extends BaseError<"invalid_request"> {
  readonly code = "invalid_request"
  /** The problems of each invalid field, by the field's name. */
  readonly details: FieldProblems

  constructor(details: FieldProblems) {
    const reasons = Object.entries(details).flatMap(([field, problems]) =>
      problems.map(({ message }) => `${field} ${message}`),
    )
    super(reasons.length === 0 ? "The request is not valid" : reasons.join("; "))
    this.details = details
  }
}

/** The named sender does not exist, is of the wrong kind, or is not approved. */
export class SenderUnusableError extends BaseError<"sender_unusable"> {
  readonly code = "sender_unusable"
  /** The reason. Its `code` begins with `brand_`, or is `no_default_brand`. */
  readonly problem: FieldProblem

  constructor(problem: FieldProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/**
 * The exceeded limit. `rate`: too many requests in a window. `spending`: the organization's daily limit.
 * `suspicion`: fraud detection refuses codes to phone numbers with this prefix for now.
 */
export type RateLimitReason = "rate" | "spending" | "suspicion"

const tooMuch: { readonly [K in RateLimitReason]: string } = {
  rate: "Too many requests",
  spending: "The organization may not spend more today",
  suspicion: "Numbers like this one are not served for now",
}

/** A limit on the number of requests or on the amount spent was reached. */
export class RateLimitedError extends BaseError<"rate_limited"> {
  readonly code = "rate_limited"
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
  readonly reason: RateLimitReason

  constructor(retryAfterSeconds: number, reason: RateLimitReason = "rate") {
    super(`${tooMuch[reason]}: try again in ${retryAfterSeconds} seconds`)
    this.retryAfterSeconds = retryAfterSeconds
    this.reason = reason
  }
}

/** The phone number has the maximum number of pending codes. */
export class TooManyPendingError extends BaseError<"too_many_pending"> {
  readonly code = "too_many_pending"
  readonly limit: number
  /**
   * Whole seconds, at least 1. After that time a pending code has expired, but another request may take its
   * place first.
   */
  readonly retryAfterSeconds: number

  constructor(limit: number, retryAfterSeconds: number) {
    super(
      `The number has ${limit} pending verifications, and may not have more: try again in ${retryAfterSeconds} seconds`,
    )
    this.limit = limit
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The recipient has no WhatsApp account. */
export class NotOnWhatsAppError extends BaseError<"not_on_whatsapp"> {
  readonly code = "not_on_whatsapp"

  constructor() {
    super("The number is not on WhatsApp")
  }
}

/** The balance does not cover the price. */
export class InsufficientBalanceError extends BaseError<"insufficient_balance"> {
  readonly code = "insufficient_balance"
  /** Decimals, as in `"0.50"`. */
  readonly required: string
  readonly available: string

  constructor(required: string, available: string) {
    super(`The balance is ${available}, and ${required} is needed: top up with account.topUp`)
    this.required = required
    this.available = available
  }
}

/**
 * The gateway did not accept the message. `failed`: nothing was sent and nothing is charged. `unknown`: the
 * message may still arrive, and its price is held until the outcome is known.
 */
export class SendingFailedError extends BaseError<"sending_failed"> {
  readonly code = "sending_failed"
  readonly status: "failed" | "unknown"

  constructor(status: "failed" | "unknown") {
    super(
      status === "failed"
        ? "The gateway has not taken the message; nothing was charged"
        : "It is not known yet whether the message was sent",
    )
    this.status = status
  }
}

/** There is no such verification request. */
export class RequestNotFoundError extends BaseError<"request_not_found"> {
  readonly code = "request_not_found"

  constructor() {
    super("There is no such verification request")
  }
}

/** The message is not in the organization's log, or retention has deleted it. */
export class MessageNotFoundError extends BaseError<"message_not_found"> {
  readonly code = "message_not_found"

  constructor() {
    super("There is no such message")
  }
}

/** The code is wrong, and attempts remain. */
export class WrongCodeError extends BaseError<"wrong_code"> {
  readonly code = "wrong_code"
  readonly attemptsRemaining: number

  constructor(attemptsRemaining: number) {
    super(`The code is wrong; attempts left: ${attemptsRemaining}`)
    this.attemptsRemaining = attemptsRemaining
  }
}

/** The request has failed: its attempts are used up, or its code could not be sent. */
export class AttemptsExhaustedError extends BaseError<"attempts_exhausted"> {
  readonly code = "attempts_exhausted"

  constructor() {
    super("The verification has failed: ask for a new code")
  }
}

/** The request was not verified in time. */
export class RequestExpiredError extends BaseError<"request_expired"> {
  readonly code = "request_expired"

  constructor() {
    super("The code has expired: ask for a new one")
  }
}

/** No organization has this id. */
export class OrganizationNotFoundError extends BaseError<"organization_not_found"> {
  readonly code = "organization_not_found"

  constructor() {
    super("There is no such organization")
  }
}

/** An organization with this id exists already. */
export class OrganizationExistsError extends BaseError<"organization_exists"> {
  readonly code = "organization_exists"

  constructor() {
    super("There is an organization with this id already")
  }
}

/** The organization has no API key with this id. */
export class ApiKeyNotFoundError extends BaseError<"api_key_not_found"> {
  readonly code = "api_key_not_found"

  constructor() {
    super("There is no such API key")
  }
}

/** The API key is missing, malformed, unknown or revoked, or its organization is suspended. */
export class UnauthorizedError extends BaseError<"unauthorized"> {
  readonly code = "unauthorized"

  constructor() {
    super("The key is not good")
  }
}

/** The address is not on the organization's allow list. */
export class AddressNotAllowedError extends BaseError<"address_not_allowed"> {
  readonly code = "address_not_allowed"

  constructor() {
    super("The address is not on the allow list")
  }
}

/**
 * The database is unavailable. Any charge will be refunded. A top-up or an adjustment that rejects with this
 * error may have been booked: repeat it with the same `paymentId`, which books it once.
 */
export class UnavailableError extends BaseError<"unavailable"> {
  readonly code = "unavailable"
  readonly reason: "overloaded" | "timeout" | "connection"
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number

  constructor(reason: "overloaded" | "timeout" | "connection", retryAfterSeconds: number) {
    super(`The database cannot answer now (${reason})`)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A bug in this package or in a gateway. `cause` contains details. */
export class InternalError extends BaseError<"internal"> {
  readonly code = "internal"

  constructor(cause: unknown) {
    super("Something went wrong inside the engine", { cause })
  }
}
