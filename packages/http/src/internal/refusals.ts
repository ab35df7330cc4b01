/**
 * Maps each error of the engine to a response, for each endpoint. No other module knows this mapping.
 */
import type { AccessError } from "@countersign/core/services/Access"
import { codes } from "@countersign/core/domain/ErrorCode"
import type * as Errors from "@countersign/core/domain/Errors"
import type { SendMessageError } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/Money"
import type { CheckError, SendError } from "@countersign/core/services/Verifications"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Failures from "../Failures.ts"
import { failure, retryAfter, unauthorized } from "./answers.ts"
import { wireName } from "./input.ts"
import type { BodyProblem } from "./jsonBody.ts"

type Details = (typeof Failures.InvalidRequest.Encoded)["details"]

const invalid = (status: 400 | 422, error: string, details: Details): HttpServerResponse => {
  const body: typeof Failures.InvalidRequest.Encoded = { error, details }
  return failure(status, codes.InvalidRequest, body)
}

const invalidFields = (status: 400 | 422, { details }: Errors.InvalidRequest): HttpServerResponse =>
  invalid(
    status,
    "Validation failed",
    Object.fromEntries(
      Object.entries(details).map(([field, problems]) => [
        wireName(field),
        problems.map(({ message }) => message),
      ]),
    ),
  )

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const insufficientBalance = (error: Errors.InsufficientBalance): HttpServerResponse => {
  const body: typeof Failures.InsufficientBalance.Encoded = {
    error: "Insufficient balance",
    required: Money.toNumber(Money.fromUnits(error.required)),
    available: Money.toNumber(Money.fromUnits(error.available)),
  }
  return failure(402, codes.InsufficientBalance, body)
}

const limitWords: Record<Errors.RateLimited["reason"], string> = {
  rate: "Rate limit exceeded",
  spending: "Daily spending cap reached",
  suspicion: "No codes are sent to numbers like this one for now",
}

const rateLimited = ({ reason, retryAfterSeconds }: Errors.RateLimited): HttpServerResponse =>
  retryAfter(429, codes.RateLimited, limitWords[reason], retryAfterSeconds)

const addressNotAllowed = failure(403, codes.AddressNotAllowed, {
  error: "This IP address is not allowed",
})
const notOnWhatsApp = failure(400, codes.NotOnWhatsApp, {
  error: "The recipient is not on WhatsApp",
})

/** Access errors, which are the same at every endpoint. */
export const ofAccess = (error: AccessError): HttpServerResponse => {
  switch (error._tag) {
    case "Unauthorized":
    // The organization was deleted together with its keys.
    case "OrganizationNotFound":
      return unauthorized
    case "AddressNotAllowed":
      return addressNotAllowed
    case "StoreUnavailable":
      return retryAfter(
        503,
        codes.StoreUnavailable,
        "Temporarily unavailable",
        error.retryAfterSeconds,
      )
  }
}

const tooLarge = failure(413, "body_too_large", { error: "The body is too large" })

/** Errors of a body that could not be read. */
export const ofBody = (status: 400 | 422, problem: BodyProblem): HttpServerResponse => {
  switch (problem._tag) {
    case "Unsupported":
      return failure(415, "unsupported_media_type", { error: problem.message })
    case "TooLarge":
      return tooLarge
    case "Malformed":
      return invalid(status, problem.message, {})
  }
}

/** Errors of `POST /messages`. */
export const ofSendMessage = (error: SendMessageError): HttpServerResponse => {
  switch (error._tag) {
    case "InvalidRequest":
      return invalidFields(422, error)
    case "BrandUnusable":
      return failure(400, codes.BrandUnusable, { error: sentence(error.problem.message) })
    case "RateLimited":
      return rateLimited(error)
    case "NotOnWhatsApp":
      return notOnWhatsApp
    case "InsufficientBalance":
      return insufficientBalance(error)
    case "SendingFailed":
      return failure(500, codes.SendingFailed, sendingFailed[error.status])
    default:
      return ofAccess(error)
  }
}

const sendingFailed: Record<Errors.SendingFailed["status"], typeof Failures.SendingFailed.Encoded> =
  {
    failed: { error: "The message could not be sent", status: "failed" },
    unknown: { error: "It is not known whether the message was sent", status: "unknown" },
  }

/** Errors of `GET /messages`. */
export const ofListMessages = (error: Errors.InvalidRequest | AccessError): HttpServerResponse =>
  error._tag === "InvalidRequest" ? invalidFields(422, error) : ofAccess(error)

/** Errors of `GET /messages/{id}`. */
export const ofGetMessage = (error: Errors.MessageNotFound | AccessError): HttpServerResponse =>
  error._tag === "MessageNotFound"
    ? failure(404, codes.MessageNotFound, { error: "Message not found" })
    : ofAccess(error)

/** Errors of `POST /verify`. */
export const ofSendVerification = (error: SendError): HttpServerResponse => {
  switch (error._tag) {
    case "InvalidRequest":
      return invalidFields(400, error)
    case "RateLimited":
      return rateLimited(error)
    case "TooManyPending":
      // The documented body has no `retry_after`.
      return failure(
        429,
        codes.TooManyPending,
        { error: "Too many pending verifications for this number" },
        { "retry-after": String(error.retryAfterSeconds) },
      )
    case "NotOnWhatsApp":
      return notOnWhatsApp
    case "InsufficientBalance":
      return insufficientBalance(error)
    case "SendingFailed":
      return failure(500, codes.SendingFailed, { error: "The code could not be sent" })
    default:
      return ofAccess(error)
  }
}

/** Errors of `POST /verify/check`. */
export const ofCheck = (error: CheckError): HttpServerResponse => {
  switch (error._tag) {
    case "InvalidRequest":
      return invalidFields(400, error)
    case "RateLimited":
      return rateLimited(error)
    case "RequestNotFound":
      return failure(404, codes.RequestNotFound, { error: "Verification request not found" })
    case "WrongCode": {
      const body: typeof Failures.WrongCode.Encoded = {
        success: false,
        error: "Wrong code",
        data: {
          request_id: error.requestId,
          status: "pending",
          attempts_remaining: error.attemptsRemaining,
        },
      }
      return failure(400, codes.WrongCode, body)
    }
    case "AttemptsExhausted": {
      const body: typeof Failures.AttemptsExhausted.Encoded = {
        success: false,
        error: "The verification request has failed",
        data: { request_id: error.requestId, status: "failed" },
      }
      return failure(429, codes.AttemptsExhausted, body)
    }
    case "RequestExpired": {
      const body: typeof Failures.RequestExpired.Encoded = {
        success: false,
        error: "The verification request has expired",
        data: { request_id: error.requestId, status: "expired" },
      }
      return failure(410, codes.RequestExpired, body)
    }
    default:
      return ofAccess(error)
  }
}
