/**
 * Makes a call, from its first request to its result. Never rejects.
 */
import type { Endpoint } from "./endpoints.ts"
import type { CommonError, UnexpectedResponse } from "./errors.ts"
import { type Answered, type Exchange, exchange, type Outgoing } from "./exchange.ts"
import { isText, objectOf, parse } from "./json.ts"
import type { Settings } from "./options.ts"
import { secondsOf, waitBefore } from "./retries.ts"
import type { Result } from "./types.ts"

/** The input of an endpoint. */
export interface Question {
  /** The query. `undefined` members are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** The JSON body. `undefined` members are omitted. */
  readonly body?: object
  readonly signal: AbortSignal | undefined
}

/** Number of UTF-16 units of an unexpected response that an error contains. */
const shownLength = 200

/** Statuses of requests that the server refuses before it acts on them. */
const unread = [404, 405, 413, 415]

/** Replaces the API key in texts. */
const mask = "•••"

const pathOf = (path: string, query: NonNullable<Question["query"]>): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value)
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

const aborted = (mayHaveTakenEffect: boolean): CommonError => ({
  type: "aborted",
  code: undefined,
  message: "The call was aborted",
  status: undefined,
  mayHaveTakenEffect,
})

/**
 * Returns the error code in the header of a response. Ignores a value that does not look like a code, because
 * the response may come from another server.
 */
const codeIn = ({ errorCode }: Answered): string | undefined =>
  errorCode !== null && /^[a-z_]{1,40}$/.test(errorCode) ? errorCode : undefined

const unexpected = (answered: Answered, text: string, writes: boolean): UnexpectedResponse => ({
  type: "unexpected_response",
  code: undefined,
  reason: codeIn(answered),
  message: `The answer (status ${answered.status}) is not one that the service gives`,
  status: answered.status,
  text: text.slice(0, shownLength),
  mayHaveTakenEffect: writes && !unread.includes(answered.status),
})

const noAnswer = (
  outcome: Exclude<Exchange, Answered>,
  { timeoutMillis }: Settings,
  mayHaveTakenEffect: boolean,
): CommonError => {
  switch (outcome.type) {
    case "aborted":
      return aborted(mayHaveTakenEffect)
    case "timeout":
      return {
        type: "timeout",
        code: undefined,
        message: `No answer within ${timeoutMillis} ms`,
        status: undefined,
        mayHaveTakenEffect,
      }
    case "network": {
      const { reason } = outcome
      return {
        type: "network",
        message: `No answer: the connection failed${reason === undefined ? "" : ` (${reason})`}`,
        status: undefined,
        code: undefined,
        reason,
        mayHaveTakenEffect,
      }
    }
  }
}

/** Interprets a response as this endpoint's. */
const read = <A, E>(
  { method, refusals, success }: Endpoint<A, E>,
  answered: Answered,
  apiKey: string,
): Result<A, E | CommonError> => {
  const { retryAfter, status, text } = answered
  const clean = (shown: string): string => shown.replaceAll(apiKey, mask)
  const body = objectOf(parse(text))
  const writes = method === "POST"
  if (status === 200) {
    const data = body["success"] === true ? success(body, answered) : undefined
    if (data !== undefined) return { ok: true, data }
  } else if (isText(body["error"])) {
    const message = clean(body["error"])
    const code = codeIn(answered)
    const wait = secondsOf(retryAfter)
    for (const readRefusal of refusals) {
      const error = readRefusal({ status, code, message, body, retryAfter: wait, writes, clean })
      if (error !== undefined) return { ok: false, error }
    }
  }
  return { ok: false, error: unexpected(answered, clean(text), writes) }
}

/** Calls an endpoint, with retries where that is safe. */
export const call = async <A, E>(
  settings: Settings,
  endpoint: Endpoint<A, E>,
  { body, query = {}, signal }: Question,
): Promise<Result<A, E | CommonError>> => {
  const { method, path } = endpoint
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) return { ok: false, error: aborted(false) }
  const outgoing: Outgoing = {
    method,
    path: pathOf(path, query),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  }
  for (let tries = 0; ; tries++) {
    const outcome = await exchange(settings, outgoing)
    const wait = tries < settings.retries ? waitBefore(outgoing, outcome, tries) : undefined
    if (wait === undefined) {
      return outcome.type === "answered"
        ? read(endpoint, outcome, settings.apiKey)
        : { ok: false, error: noAnswer(outcome, settings, method === "POST") }
    }
    try {
      await settings.delay(wait, signal)
    } catch {
      // A `delay` of the host may reject when the signal aborts. The wait is over in both cases.
    }
    // Only calls that read get here.
    if (isAborted()) return { ok: false, error: aborted(false) }
  }
}
