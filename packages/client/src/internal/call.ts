/**
 * A call from its first request to its result. Never rejects.
 */
import type { Endpoint } from "./endpoints.ts"
import type { CommonError, UnexpectedResponse } from "./errors.ts"
import { type Answered, type Exchange, exchange, type Outgoing } from "./exchange.ts"
import { isText, objectOf, parse } from "./json.ts"
import type { Settings } from "./options.ts"
import { secondsOf, waitBefore } from "./retries.ts"
import type { Result } from "./types.ts"

/** What an endpoint is asked with. */
export interface Question {
  /** Goes into the query; what is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Goes out as JSON, which leaves out what is `undefined`. */
  readonly body?: object
  readonly signal: AbortSignal | undefined
}

/** Most of a strange answer that is shown, in UTF-16 units. */
const shownLength = 200

/** Statuses with which a request is turned away before anybody acts on it. */
const unread = [404, 405, 413, 415]

/** Stands where the API key stood. */
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

/** A header of whoever has answered: what does not look like a code is none. */
const codeIn = ({ errorCode }: Answered): string | undefined =>
  errorCode !== null && /^[a-z_]{1,40}$/.test(errorCode) ? errorCode : undefined

const unexpected = (answered: Answered, text: string, writes: boolean): UnexpectedResponse => ({
  type: "unexpected_response",
  code: undefined,
  reason: codeIn(answered),
  message: `The answer (status ${answered.status}) is none that the service gives`,
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

/** What was answered, read as this endpoint's. */
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

/** Asks an endpoint, again where that is safe. */
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
      // One of the host's may break off where the signal ends it; the wait is over either way.
    }
    // Only what reads gets here.
    if (isAborted()) return { ok: false, error: aborted(false) }
  }
}
