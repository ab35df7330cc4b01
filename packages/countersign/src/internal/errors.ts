/**
 * What the promises of this package reject with. Each reason is a class of its own, with a `code` that says
 * the same to code that cannot use `instanceof`.
 */
import type { FieldProblem, FieldProblems } from "./fieldProblem.ts"

/** What each reason is called. */
export type ErrorCode =
  | "address_not_allowed"
  | "api_key_not_found"
  | "attempts_exhausted"
  | "configuration"
  | "disposed"
  | "insufficient_balance"
  | "internal"
  | "invalid_request"
  | "message_not_found"
  | "not_on_whatsapp"
  | "organization_exists"
  | "organization_not_found"
  | "rate_limited"
  | "request_expired"
  | "request_not_found"
  | "sender_unusable"
  | "sending_failed"
  | "start"
  | "too_many_pending"
  | "unauthorized"
  | "unavailable"
  | "wrong_code"

/** Every error of this package. */
export abstract class CountersignError extends Error {
  abstract readonly code: ErrorCode

  override get name(): string {
    return this.constructor.name
  }
}

/** The options of `createCountersign` cannot be meant. Nothing has been started. */
export class ConfigurationError extends CountersignError {
  readonly code = "configuration"
}

/**
 * The engine could not be started: the database does not answer or refuses, or the data folder is in use. The
 * message names the host, the port and the database, or the process that has the folder open.
 */
export class StartError extends CountersignError {
  readonly code = "start"
}

/**
 * The engine has ended: its `dispose` was called, or the end of a block that says `await using` was reached.
 * `refused`: the call came after that, and did nothing. `unknown`: the call took longer than `dispose` waits,
 * and may have taken effect.
 */
export class DisposedError extends CountersignError {
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

/** Some of what was asked is not acceptable. */
export class InvalidRequestError extends CountersignError {
  readonly code = "invalid_request"
  /** The problems of each field that is at fault, by its name. */
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
export class SenderUnusableError extends CountersignError {
  readonly code = "sender_unusable"
  /** Which of these: its `code` begins with `brand_`, or is `no_default_brand`. */
  readonly problem: FieldProblem

  constructor(problem: FieldProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/**
 * Why it is too much. `rate`: too many requests in a window. `spending`: the organization's daily cap.
 * `suspicion`: codes to numbers like this one are denied for now.
 */
export type RateLimitReason = "rate" | "spending" | "suspicion"

const tooMuch: { readonly [K in RateLimitReason]: string } = {
  rate: "Too many requests",
  spending: "The organization may not spend more today",
  suspicion: "Numbers like this one are not served for now",
}

/** A limit on how often something may be done, or for how much. */
export class RateLimitedError extends CountersignError {
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

/** The number has as many pending codes as it may have. */
export class TooManyPendingError extends CountersignError {
  readonly code = "too_many_pending"
  readonly limit: number
  /** Whole seconds, at least 1. After them a place is free, unless another request has taken it. */
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
export class NotOnWhatsAppError extends CountersignError {
  readonly code = "not_on_whatsapp"

  constructor() {
    super("The number is not on WhatsApp")
  }
}

/** The balance does not cover the price. */
export class InsufficientBalanceError extends CountersignError {
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
 * The gateway did not take the message. `failed`: nothing was sent and nothing is charged. `unknown`: it
 * may still arrive, and its price is held until that is known.
 */
export class SendingFailedError extends CountersignError {
  readonly code = "sending_failed"
  readonly status: "failed" | "unknown"

  constructor(status: "failed" | "unknown") {
    super(
      status === "failed"
        ? "The gateway has not taken the message; nothing was charged"
        : "Nobody can say yet whether the message was sent",
    )
    this.status = status
  }
}

/** There is no such verification request. */
export class RequestNotFoundError extends CountersignError {
  readonly code = "request_not_found"

  constructor() {
    super("There is no such verification request")
  }
}

/** There is no such message in the organization's log, or retention has dropped it. */
export class MessageNotFoundError extends CountersignError {
  readonly code = "message_not_found"

  constructor() {
    super("There is no such message")
  }
}

/** The code is wrong, and there are attempts left. */
export class WrongCodeError extends CountersignError {
  readonly code = "wrong_code"
  readonly attemptsRemaining: number

  constructor(attemptsRemaining: number) {
    super(`The code is wrong; attempts left: ${attemptsRemaining}`)
    this.attemptsRemaining = attemptsRemaining
  }
}

/** The request has failed: its attempts are used up, or its code could not be sent. */
export class AttemptsExhaustedError extends CountersignError {
  readonly code = "attempts_exhausted"

  constructor() {
    super("The verification has failed: ask for a new code")
  }
}

/** The request was not verified in time. */
export class RequestExpiredError extends CountersignError {
  readonly code = "request_expired"

  constructor() {
    super("The code has expired: ask for a new one")
  }
}

export class OrganizationNotFoundError extends CountersignError {
  readonly code = "organization_not_found"

  constructor() {
    super("There is no such organization")
  }
}

export class OrganizationExistsError extends CountersignError {
  readonly code = "organization_exists"

  constructor() {
    super("There is an organization with this id already")
  }
}

/** The organization has no API key with this id. */
export class ApiKeyNotFoundError extends CountersignError {
  readonly code = "api_key_not_found"

  constructor() {
    super("There is no such API key")
  }
}

/** No key, or one that is malformed, unknown, revoked or of a suspended organization. */
export class UnauthorizedError extends CountersignError {
  readonly code = "unauthorized"

  constructor() {
    super("The key is not good")
  }
}

/** The address is not on the organization's allow list. */
export class AddressNotAllowedError extends CountersignError {
  readonly code = "address_not_allowed"

  constructor() {
    super("The address is not on the allow list")
  }
}

/**
 * The database cannot answer now. Nothing was charged that will not be given back. A top-up or an adjustment
 * that rejects with it may have been booked: repeat it with the same `paymentId`, which books it once.
 */
export class UnavailableError extends CountersignError {
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

/** A bug, here or in a gateway; `cause` has what is known of it. */
export class InternalError extends CountersignError {
  readonly code = "internal"

  constructor(cause: unknown) {
    super("Something went wrong inside the engine", { cause })
  }
}
