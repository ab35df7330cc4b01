/**
 * Parses error responses. Each parser knows one kind of response and returns `undefined` for all others.
 */
import type { CommonError, InternalError, InvalidRequest, NotSendable } from "./errors.ts"
import { isCount, isNumber, isObject, isOneOf, isText, type JsonObject, objectOf } from "./json.ts"

/** A JSON response with a sentence in `error`, as all errors of the service have. */
export interface Refused {
  readonly status: number
  /** The member `error`, with secrets masked. */
  readonly message: string
  readonly body: JsonObject
  /** The value of `Countersign-Error`. */
  readonly code: string | undefined
  /** The value of `Retry-After`, in whole seconds. */
  readonly retryAfter: number | undefined
  /** Whether the call does more than read. */
  readonly writes: boolean
  /** Masks secrets in a text. */
  readonly clean: (text: string) => string
  /** The service's names of the input's fields, by their names in this client. */
  readonly wireNames: Readonly<Record<string, string>>
}

export type Reader<E> = (refused: Refused) => E | undefined

/** Reads an error with this status. `detailsOf` returns its further members, `undefined` for another error. */
const refusal =
  <const Type extends string, const Status extends number, Details extends object>(
    type: Type,
    expected: Status,
    detailsOf: (refused: Refused) => Details | undefined,
  ) =>
  (refused: Refused) => {
    const details = refused.status === expected ? detailsOf(refused) : undefined
    return details && { type, code: type, message: refused.message, status: expected, ...details }
  }

const none = () => ({})

const requestIdIn = ({ body }: Refused) => {
  const { request_id: requestId } = objectOf(body["data"])
  return isText(requestId) ? { requestId } : undefined
}

const secondsIn = ({ body: { retry_after: retryAfterSeconds } }: Refused) =>
  isCount(retryAfterSeconds) ? { retryAfterSeconds } : undefined

const sentencesOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every(isText) ? value : undefined

export const invalidRequest: Reader<InvalidRequest> = (refused) => {
  const { body, clean, message, status, wireNames } = refused
  if ((status !== 400 && status !== 422) || !isObject(body["details"])) return undefined
  const fields = new Map(Object.entries(wireNames).map(([field, name]) => [name, field]))
  fields.set("Idempotency-Key", "idempotencyKey")
  const details = Object.entries(body["details"]).map(([name, problems]) => {
    const sentences = sentencesOf(problems)
    return sentences && ([clean(fields.get(name) ?? name), sentences.map(clean)] as const)
  })
  if (!details.every((entry) => entry !== undefined)) return undefined
  const type = "invalid_request"
  return { type, code: type, message, status, details: Object.fromEntries(details) }
}

const isUnsendable = isOneOf(["not_on_whatsapp", "sender_unusable"])

/** Comes after all other errors with status 400, because they have more members. */
export const notSendable: Reader<NotSendable> = ({ code, message, status }) =>
  status === 400
    ? { type: "not_sendable", code: isUnsendable(code) ? code : undefined, message, status }
    : undefined

const unauthorized = refusal("unauthorized", 401, none)

const insufficientScope = refusal("insufficient_scope", 403, ({ code }) =>
  code === "insufficient_scope" ? {} : undefined,
)

const addressNotAllowed = refusal("address_not_allowed", 403, none)

export const requestNotFound = refusal("request_not_found", 404, none)

export const messageNotFound = refusal("message_not_found", 404, none)

export const insufficientBalance = refusal(
  "insufficient_balance",
  402,
  ({ body: { available, required } }) =>
    isNumber(required) && isNumber(available) ? { required, available } : undefined,
)

export const wrongCode = refusal("wrong_code", 400, (refused) => {
  const { attempts_remaining: attemptsRemaining } = objectOf(refused.body["data"])
  const request = requestIdIn(refused)
  return request && isCount(attemptsRemaining) ? { ...request, attemptsRemaining } : undefined
})

export const requestExpired = refusal("request_expired", 410, requestIdIn)

export const attemptsExhausted = refusal("attempts_exhausted", 429, (refused) =>
  objectOf(refused.body["data"])["status"] === "failed" ? requestIdIn(refused) : undefined,
)

/** A conflict with the state of the request, which the body names. */
const conflict = <const Type extends string>(type: Type, state: "pending" | "verified") =>
  refusal(type, 409, (refused) =>
    objectOf(refused.body["data"])["status"] === state ? requestIdIn(refused) : undefined,
  )

export const idempotencyInFlight = refusal("idempotency_in_flight", 409, secondsIn)

/** A status of its own, but for the details of invalid fields. */
export const idempotencyMismatch = refusal("idempotency_mismatch", 422, ({ body }) =>
  body["details"] === undefined ? {} : undefined,
)

export const alreadyVerified = conflict("already_verified", "verified")

export const notVerified = conflict("not_verified", "pending")

export const alreadyConsumed = conflict("already_consumed", "verified")

/** A proxy may send the same body. */
export const resendsExhausted = refusal("resends_exhausted", 429, ({ code }) =>
  code === "resends_exhausted" ? {} : undefined,
)

export const rateLimited = refusal("rate_limited", 429, secondsIn)

/** No other error of the service has this body, but a proxy may send the same. */
export const tooManyPending = refusal("too_many_pending", 429, ({ code, retryAfter }) =>
  code === "too_many_pending" && retryAfter !== undefined
    ? { retryAfterSeconds: retryAfter }
    : undefined,
)

const isOutcome = isOneOf(["failed", "unknown"])

export const messageNotSent = refusal("sending_failed", 500, ({ body: { status: outcome } }) =>
  isOutcome(outcome) ? { outcome } : undefined,
)

/** An unsent code and a defect have the same body. Only the header distinguishes them. */
export const codeNotSent = refusal("sending_failed", 500, ({ code }) =>
  code === "sending_failed" ? { outcome: "failed" as const } : undefined,
)

const internalError: Reader<InternalError> = ({ message, status, writes }) =>
  status === 500
    ? { type: "internal_error", code: "internal", message, status, mayHaveTakenEffect: writes }
    : undefined

const unavailable = refusal("unavailable", 503, (refused) => {
  const seconds = secondsIn(refused)
  return seconds && { ...seconds, mayHaveTakenEffect: refused.writes }
})

/** The errors of every endpoint. They come last, because those of an endpoint have more members. */
export const common: ReadonlyArray<Reader<CommonError>> = [
  unauthorized,
  insufficientScope,
  addressNotAllowed,
  internalError,
  unavailable,
]
