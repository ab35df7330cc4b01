/** Parses error responses. Each reader knows one kind of response and returns `undefined` for all others. */
import type { InvalidRequest } from "./errors.ts"
import { isCount, isNumber, isObject, isText, type JsonObject, objectOf, oneOf } from "./json.ts"

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
  readonly clean: (text: string) => string
  /** The service's names of the input's fields, by their names in this client. */
  readonly wireNames: Readonly<Record<string, string>>
}

export type Reader<E> = (refused: Refused) => E | undefined

/** Reads the error with a code and a status. `detailsOf` returns its further members, `undefined` for another error. */
export const error =
  <const Code extends string, const Status extends number, Details extends object>(
    code: Code,
    expected: Status,
    detailsOf: (refused: Refused, code: Code) => Details | undefined,
  ) =>
  (refused: Refused) => {
    const details = refused.status === expected ? detailsOf(refused, code) : undefined
    return details && { code, message: refused.message, status: expected, ...details }
  }

export const none = () => ({})

/** An error whose body other errors have as well, or a proxy: only the header distinguishes it. */
export const named = ({ code }: Refused, expected: string) => (code === expected ? {} : undefined)

/** The request in a state, which the body names. */
export const requestIn =
  (state: string) =>
  ({ body }: Refused) => {
    const { request_id: requestId, status } = objectOf(body["data"])
    return status === state && isText(requestId) ? { requestId } : undefined
  }

const pending = requestIn("pending")

export const attempts = (refused: Refused) => {
  const { attempts_remaining: attemptsRemaining } = objectOf(refused.body["data"])
  const request = pending(refused)
  return request && isCount(attemptsRemaining) ? { ...request, attemptsRemaining } : undefined
}

export const seconds = ({ body: { retry_after: retryAfterSeconds } }: Refused) =>
  isCount(retryAfterSeconds) ? { retryAfterSeconds } : undefined

/** The time in the header of an error that the header names. */
export const secondsInHeader = ({ code, retryAfter }: Refused, expected: string) =>
  code === expected && retryAfter !== undefined ? { retryAfterSeconds: retryAfter } : undefined

export const amounts = ({ body: { available, required } }: Refused) =>
  isNumber(required) && isNumber(available) ? { required, available } : undefined

/** An error whose body has no details of fields. */
export const noDetails = ({ body }: Refused) => (body["details"] === undefined ? {} : undefined)

export const outcome = ({ body: { status } }: Refused) => {
  const outcome = oneOf("failed", "unknown")(status)
  return outcome && { outcome }
}

/** An unsent code and a defect have the same body. */
export const unsentCode = ({ code }: Refused, expected: string) =>
  code === expected ? { outcome: "failed" as const } : undefined

/** An error after which a call that does more than read may have taken effect. */
export const doubtful =
  <Details extends object>(detailsOf: (refused: Refused) => Details | undefined) =>
  (refused: Refused) => {
    const details = detailsOf(refused)
    return details && { ...details, mayHaveTakenEffect: refused.writes }
  }

export const invalidRequest: Reader<InvalidRequest> = (refused) => {
  const { body, clean, message, status, wireNames } = refused
  if ((status !== 400 && status !== 422) || !isObject(body["details"])) return undefined
  const fields = new Map(Object.entries(wireNames).map(([field, name]) => [name, field]))
  fields.set("Idempotency-Key", "idempotencyKey")
  const details = Object.entries(body["details"]).map(([name, problems]) => {
    const sentences = Array.isArray(problems) && problems.every(isText) ? problems : undefined
    return sentences && ([clean(fields.get(name) ?? name), sentences.map(clean)] as const)
  })
  if (!details.every((entry) => entry !== undefined)) return undefined
  return { code: "invalid_request", message, status, details: Object.fromEntries(details) }
}
