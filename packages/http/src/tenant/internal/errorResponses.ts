/**
 * Maps each error of the engine to a response. No other module knows this mapping.
 */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type * as Errors from "@countersign/core/domain/errors/Errors"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Money from "@countersign/core/domain/values/Money"
import * as Result from "effect/Result"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Failures from "../Failures.ts"
import { failure, retryAfter, tooManyPending, unauthorized } from "./responses.ts"
import { messageNames, verificationNames, type WireNames } from "./readers.ts"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"

type Encoded<Name extends keyof typeof Failures> = (typeof Failures)[Name]["Encoded"]

/** The failures that differ between the endpoints of messages and those of verifications. */
export interface Dialect {
  readonly names: WireNames
  readonly invalidStatus: 400 | 422
  readonly unsent: (
    status: Errors.SendingFailed["status"],
  ) => Encoded<"InternalError" | "SendingFailed">
}

export const messageDialect: Dialect = {
  names: messageNames,
  invalidStatus: 422,
  unsent: (status) => ({
    error:
      status === "failed"
        ? "The message could not be sent"
        : "It is not known whether the message was sent",
    status,
  }),
}

export const verificationDialect: Dialect = {
  names: verificationNames,
  invalidStatus: 400,
  unsent: () => ({ error: "The code could not be sent" }),
}

type Details = Encoded<"InvalidRequest">["details"]

const invalid = ({ invalidStatus: status }: Dialect, error: string, details: Details) =>
  failure<Encoded<"InvalidRequest">>("invalid_request", { error, details }, { status })

const detailsOf = ({ names }: Dialect, { details }: Errors.InvalidRequest): Details =>
  Object.fromEntries(
    Object.entries(details).map(([field, problems]) => [
      names[field] ?? field,
      problems.map((problem) => inSeconds(problem).message),
    ]),
  )

const secondsOf = (text: string): number =>
  Result.getOrElse(Duration.toMillis(text), () => 0) / 1_000

/** Durations of this interface are numbers of seconds. */
const inSeconds = (problem: FieldProblem.FieldProblem): FieldProblem.FieldProblem => {
  if (problem.code !== "duration_out_of_range") return problem
  const { max, min } = problem.params
  return FieldProblem.make("out_of_range", { min: secondsOf(min), max: secondsOf(max) })
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const limitWords: Record<Errors.RateLimited["reason"], string> = {
  rate: "Rate limit exceeded",
  client: "Rate limit exceeded",
  cooldown: "The code was sent a moment ago",
  guesses: "Too many wrong codes for this phone number",
  spending: "Daily spending cap reached",
  suspicion: "No codes are sent to numbers like this one for now",
}

const insufficientScope = failure("insufficient_scope", {
  error: "The scopes of this API key do not include this endpoint",
})
const addressNotAllowed = failure("address_not_allowed", {
  error: "This IP address is not allowed",
})
const notOnWhatsApp = failure("not_on_whatsapp", { error: "The recipient is not on WhatsApp" })
const messageNotFound = failure("message_not_found", { error: "Message not found" })
const requestNotFound = failure("request_not_found", { error: "Verification request not found" })

const idempotencyMismatch = failure("idempotency_mismatch", {
  error: "Another call has used this idempotency key",
})

const resendsExhausted = failure("resends_exhausted", {
  error: "The code cannot be sent again for this request",
})

/** The errors of the engine without those that only hosts cause. */
export type EndpointError = Exclude<
  EngineError,
  Errors.ApiKeyNotFound | Errors.BrandNotFound | Errors.OrganizationExists | Errors.WebhookNotFound
>

export const ofError = (error: EndpointError, dialect: Dialect): HttpServerResponse => {
  switch (error._tag) {
    case "AddressNotAllowed":
      return addressNotAllowed
    case "AlreadyConsumed":
      return failure<Encoded<"AlreadyConsumed">>("already_consumed", {
        success: false,
        error: "The verification was consumed before",
        data: { request_id: error.requestId, status: "verified" },
      })
    case "AlreadyVerified":
      return failure<Encoded<"AlreadyVerified">>("already_verified", {
        success: false,
        error: "The request is verified already",
        data: { request_id: error.requestId, status: "verified" },
      })
    case "AttemptsExhausted":
      return failure<Encoded<"AttemptsExhausted">>("attempts_exhausted", {
        success: false,
        error: "The verification request has failed",
        data: { request_id: error.requestId, status: "failed" },
      })
    case "BrandUnusable":
      return failure("sender_unusable", { error: sentence(error.problem.message) })
    case "IdempotencyInFlight": {
      const message = "The first call with this idempotency key has no answer yet"
      return retryAfter("idempotency_in_flight", message, error.retryAfterSeconds)
    }
    case "IdempotencyMismatch":
      return idempotencyMismatch
    case "InsufficientBalance":
      return failure<Encoded<"InsufficientBalance">>("insufficient_balance", {
        error: "Insufficient balance",
        required: Money.toNumber(Money.fromUnits(error.required)),
        available: Money.toNumber(Money.fromUnits(error.available)),
      })
    case "InsufficientScope":
      return insufficientScope
    case "InvalidRequest":
      return invalid(dialect, "Validation failed", detailsOf(dialect, error))
    case "MessageNotFound":
      return messageNotFound
    case "NotOnWhatsApp":
      return notOnWhatsApp
    case "NotVerified":
      return failure<Encoded<"NotVerified">>("not_verified", {
        success: false,
        error: "The request is not verified yet",
        data: { request_id: error.requestId, status: "pending" },
      })
    case "RateLimited":
      return retryAfter("rate_limited", limitWords[error.reason], error.retryAfterSeconds)
    case "RequestExpired":
      return failure<Encoded<"RequestExpired">>("request_expired", {
        success: false,
        error: "The verification request has expired",
        data: { request_id: error.requestId, status: "expired" },
      })
    case "RequestNotFound":
      return requestNotFound
    case "ResendsExhausted":
      return resendsExhausted
    case "SendingFailed":
      return failure("sending_failed", dialect.unsent(error.status))
    case "StoreUnavailable":
      return retryAfter("unavailable", "Temporarily unavailable", error.retryAfterSeconds)
    case "TooManyPending":
      return tooManyPending(error.retryAfterSeconds)
    case "Unauthorized":
    // The organization was deleted together with its keys.
    case "OrganizationNotFound":
      return unauthorized
    case "WrongCode":
      return failure<Encoded<"WrongCode">>("wrong_code", {
        success: false,
        error: "Wrong code",
        data: {
          request_id: error.requestId,
          status: "pending",
          attempts_remaining: error.attemptsRemaining,
        },
      })
  }
}

const tooLarge = failure("body_too_large", { error: "The body is too large" })

export const ofBody = (problem: BodyProblem, dialect: Dialect): HttpServerResponse => {
  switch (problem._tag) {
    case "Unsupported":
      return failure("unsupported_media_type", { error: problem.message })
    case "TooLarge":
      return tooLarge
    case "Malformed":
      return invalid(dialect, problem.message, {})
  }
}
