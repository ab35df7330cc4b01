/**
 * Parses error responses. Each parser knows one kind of response and returns `undefined` for all others.
 */
import type {
  AddressNotAllowed,
  AttemptsExhausted,
  InsufficientBalance,
  InternalError,
  InvalidRequest,
  MessageNotFound,
  NotSendable,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  SendingFailed,
  TooManyPending,
  Unauthorized,
  Unavailable,
  WrongCode,
} from "./errors.ts"
import { isCount, isNumber, isOneOf, isText, type JsonObject, objectOf } from "./json.ts"

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
}

export type Reader<E> = (refused: Refused) => E | undefined

/** The service's names of the fields that have another name in this client. */
export type WireNames = Readonly<Record<string, string>>

const sentencesOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every(isText) ? value : undefined

const detailsOf = (
  value: unknown,
  wireNames: WireNames,
  clean: Refused["clean"],
): InvalidRequest["details"] | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const known = new Map(Object.entries(wireNames))
  const details = Object.entries(value).map(([field, problems]) => {
    const sentences = sentencesOf(problems)
    return sentences === undefined
      ? undefined
      : ([clean(known.get(field) ?? field), sentences.map(clean)] as const)
  })
  return details.every((entry) => entry !== undefined) ? Object.fromEntries(details) : undefined
}

export const invalidRequest =
  (wireNames: WireNames): Reader<InvalidRequest> =>
  ({ body, clean, message, status }) => {
    if (status !== 400 && status !== 422) return undefined
    const details = detailsOf(body["details"], wireNames, clean)
    return details && { type: "invalid_request", code: "invalid_request", message, status, details }
  }

const isUnsendable = isOneOf(["not_on_whatsapp", "sender_unusable"])

/** Comes after all other errors with status 400, because they have more members. */
export const notSendable: Reader<NotSendable> = ({ code, message, status }) =>
  status === 400
    ? { type: "not_sendable", code: isUnsendable(code) ? code : undefined, message, status }
    : undefined

export const unauthorized: Reader<Unauthorized> = ({ message, status }) =>
  status === 401 ? { type: "unauthorized", code: "unauthorized", message, status } : undefined

export const insufficientBalance: Reader<InsufficientBalance> = ({ body, message, status }) => {
  const { available, required } = body
  return status === 402 && isNumber(required) && isNumber(available)
    ? {
        type: "insufficient_balance",
        code: "insufficient_balance",
        message,
        status,
        required,
        available,
      }
    : undefined
}

export const addressNotAllowed: Reader<AddressNotAllowed> = ({ message, status }) =>
  status === 403
    ? { type: "address_not_allowed", code: "address_not_allowed", message, status }
    : undefined

export const requestNotFound: Reader<RequestNotFound> = ({ message, status }) =>
  status === 404
    ? { type: "request_not_found", code: "request_not_found", message, status }
    : undefined

export const messageNotFound: Reader<MessageNotFound> = ({ message, status }) =>
  status === 404
    ? { type: "message_not_found", code: "message_not_found", message, status }
    : undefined

export const requestExpired: Reader<RequestExpired> = ({ body, message, status }) => {
  const { request_id } = objectOf(body["data"])
  return status === 410 && isText(request_id)
    ? { type: "request_expired", code: "request_expired", message, status, requestId: request_id }
    : undefined
}

export const attemptsExhausted: Reader<AttemptsExhausted> = ({ body, message, status }) => {
  const data = objectOf(body["data"])
  const { request_id } = data
  return status === 429 && isText(request_id) && data["status"] === "failed"
    ? {
        type: "attempts_exhausted",
        code: "attempts_exhausted",
        message,
        status,
        requestId: request_id,
      }
    : undefined
}

export const wrongCode: Reader<WrongCode> = ({ body, message, status }) => {
  const { attempts_remaining, request_id } = objectOf(body["data"])
  return status === 400 && isText(request_id) && isCount(attempts_remaining)
    ? {
        type: "wrong_code",
        code: "wrong_code",
        message,
        status,
        requestId: request_id,
        attemptsRemaining: attempts_remaining,
      }
    : undefined
}

const secondsIn = ({ retry_after }: JsonObject): number | undefined =>
  isCount(retry_after) ? retry_after : undefined

export const rateLimited: Reader<RateLimited> = ({ body, message, status }) => {
  const retryAfterSeconds = secondsIn(body)
  return status === 429 && retryAfterSeconds !== undefined
    ? { type: "rate_limited", code: "rate_limited", message, status, retryAfterSeconds }
    : undefined
}

/** No other error of the service has this body, but a proxy may send the same. */
export const tooManyPending: Reader<TooManyPending> = ({ code, message, retryAfter, status }) =>
  status === 429 && code === "too_many_pending" && retryAfter !== undefined
    ? {
        type: "too_many_pending",
        code: "too_many_pending",
        message,
        status,
        retryAfterSeconds: retryAfter,
      }
    : undefined

const isOutcome = isOneOf(["failed", "unknown"])

export const messageNotSent: Reader<SendingFailed<"failed" | "unknown">> = ({
  body,
  message,
  status,
}) => {
  const outcome = body["status"]
  return status === 500 && isOutcome(outcome)
    ? { type: "sending_failed", code: "sending_failed", message, status, outcome }
    : undefined
}

/** An unsent code and a defect have the same body. Only the header distinguishes them. */
export const codeNotSent: Reader<SendingFailed<"failed">> = ({ code, message, status }) =>
  status === 500 && code === "sending_failed"
    ? { type: "sending_failed", code: "sending_failed", message, status, outcome: "failed" }
    : undefined

export const internalError: Reader<InternalError> = ({ message, status, writes }) =>
  status === 500
    ? { type: "internal_error", code: "internal", message, status, mayHaveTakenEffect: writes }
    : undefined

export const unavailable: Reader<Unavailable> = ({ body, message, status, writes }) => {
  const retryAfterSeconds = secondsIn(body)
  return status === 503 && retryAfterSeconds !== undefined
    ? {
        type: "unavailable",
        code: "unavailable",
        message,
        status,
        retryAfterSeconds,
        mayHaveTakenEffect: writes,
      }
    : undefined
}
