/**
 * Reads the answers that are no success. Each of these knows one kind of answer, and gives `undefined` for
 * every other.
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

/** A JSON answer with a sentence in it, as all refusals of the service have. */
export interface Refused {
  readonly status: number
  /** `error`, and nothing secret. */
  readonly message: string
  readonly body: JsonObject
  /** What `Countersign-Error` says. */
  readonly code: string | undefined
  /** What `Retry-After` says, in whole seconds. */
  readonly retryAfter: number | undefined
  /** Whether the call was to do more than read. */
  readonly writes: boolean
  /** Takes what is secret out of a text. */
  readonly clean: (text: string) => string
}

export type Reader<E> = (refused: Refused) => E | undefined

/** What the service calls the fields that have another name here. */
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
  ({ body, clean, code, message, status }) => {
    if (status !== 400 && status !== 422) return undefined
    const details = detailsOf(body["details"], wireNames, clean)
    return details && { type: "invalid_request", code, message, status, details }
  }

/** After all others that are 400: they have more members. */
export const notSendable: Reader<NotSendable> = ({ code, message, status }) =>
  status === 400 ? { type: "not_sendable", code, message, status } : undefined

export const unauthorized: Reader<Unauthorized> = ({ code, message, status }) =>
  status === 401 ? { type: "unauthorized", code, message, status } : undefined

export const insufficientBalance: Reader<InsufficientBalance> = ({
  body,
  code,
  message,
  status,
}) => {
  const { available, required } = body
  return status === 402 && isNumber(required) && isNumber(available)
    ? { type: "insufficient_balance", code, message, status, required, available }
    : undefined
}

export const addressNotAllowed: Reader<AddressNotAllowed> = ({ code, message, status }) =>
  status === 403 ? { type: "address_not_allowed", code, message, status } : undefined

export const requestNotFound: Reader<RequestNotFound> = ({ code, message, status }) =>
  status === 404 ? { type: "request_not_found", code, message, status } : undefined

export const messageNotFound: Reader<MessageNotFound> = ({ code, message, status }) =>
  status === 404 ? { type: "message_not_found", code, message, status } : undefined

export const requestExpired: Reader<RequestExpired> = ({ body, code, message, status }) => {
  const { request_id } = objectOf(body["data"])
  return status === 410 && isText(request_id)
    ? { type: "request_expired", code, message, status, requestId: request_id }
    : undefined
}

export const attemptsExhausted: Reader<AttemptsExhausted> = ({ body, code, message, status }) => {
  const data = objectOf(body["data"])
  const { request_id } = data
  return status === 429 && isText(request_id) && data["status"] === "failed"
    ? { type: "attempts_exhausted", code, message, status, requestId: request_id }
    : undefined
}

export const wrongCode: Reader<WrongCode> = ({ body, code, message, status }) => {
  const { attempts_remaining, request_id } = objectOf(body["data"])
  return status === 400 && isText(request_id) && isCount(attempts_remaining)
    ? {
        type: "wrong_code",
        code,
        message,
        status,
        requestId: request_id,
        attemptsRemaining: attempts_remaining,
      }
    : undefined
}

const secondsIn = ({ retry_after }: JsonObject): number | undefined =>
  isCount(retry_after) ? retry_after : undefined

export const rateLimited: Reader<RateLimited> = ({ body, code, message, status }) => {
  const retryAfterSeconds = secondsIn(body)
  return status === 429 && retryAfterSeconds !== undefined
    ? { type: "rate_limited", code, message, status, retryAfterSeconds }
    : undefined
}

/** Its body is that of no other refusal of the service, but a proxy may answer the same. */
export const tooManyPending: Reader<TooManyPending> = ({ code, message, retryAfter, status }) =>
  status === 429 && code === "too_many_pending" && retryAfter !== undefined
    ? { type: "too_many_pending", code, message, status, retryAfterSeconds: retryAfter }
    : undefined

const isOutcome = isOneOf(["failed", "unknown"])

export const messageNotSent: Reader<SendingFailed<"failed" | "unknown">> = ({
  body,
  code,
  message,
  status,
}) => {
  const outcome = body["status"]
  return status === 500 && isOutcome(outcome)
    ? { type: "sending_failed", code, message, status, outcome }
    : undefined
}

/** A code that was not sent and a defect have the same body: only the header tells them apart. */
export const codeNotSent: Reader<SendingFailed<"failed">> = ({ code, message, status }) =>
  status === 500 && code === "sending_failed"
    ? { type: "sending_failed", code, message, status, outcome: "failed" }
    : undefined

export const internalError: Reader<InternalError> = ({ code, message, status, writes }) =>
  status === 500
    ? { type: "internal_error", code, message, status, mayHaveTakenEffect: writes }
    : undefined

export const unavailable: Reader<Unavailable> = ({ body, code, message, status, writes }) => {
  const retryAfterSeconds = secondsIn(body)
  return status === 503 && retryAfterSeconds !== undefined
    ? { type: "unavailable", code, message, status, retryAfterSeconds, mayHaveTakenEffect: writes }
    : undefined
}
