import { instead, millisOf } from "./durations.ts"
import { commonReaders } from "./errorReaders.ts"
import type { CommonError, InvalidRequest } from "./errors.ts"
import { type Answered, type Exchange, exchange, type Outgoing } from "./exchange.ts"
import { isText, type JsonObject, objectOf, parse } from "./json.ts"
import { type Settings, unknownName } from "./options.ts"
import type { Reader } from "./readError.ts"
import { secondsOf, waitBefore } from "./retries.ts"
import type { UnexpectedResponse } from "./clientErrors.ts"
import type { CallOptions, KeyedCall, Result } from "./calls.ts"

/** `In` is the input of a call, `A` its result. */
export interface Endpoint<In extends CallOptions, A, E> {
  readonly method: "GET" | "POST"
  readonly path: string
  /** The fields of the body, or of the query of a GET. */
  readonly wireNames: { readonly [K in Exclude<keyof In, keyof KeyedCall>]: string }
  /** The fields that are durations. The service reads whole seconds. */
  readonly durations?: ReadonlyArray<string>
  /** Whether the endpoint recognizes a repeat by its key. */
  readonly isKeyed?: boolean
  readonly success: (data: unknown, answered: Answered, body: JsonObject) => A | undefined
  /** The errors of this endpoint only. Those with more members come first. */
  readonly errors: ReadonlyArray<Reader<NoInfer<E> | InvalidRequest>>
}

/** An id in a path. Callers in JavaScript can pass any value. */
export const segment = (id: string): string => encodeURIComponent(String(id).toWellFormed())

/** Statuses of requests that the server refuses before it acts on them. */
const unread = [404, 405, 413, 415]

/** Formats a value of a query. An invalid date is sent as it is, and the service reports the problem. */
const queryText = (value: unknown): string =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value)

const pathOf = (path: string, query: ReadonlyArray<[string, unknown]>): string => {
  const given = query.filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return path
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, queryText(value)]))}`
}

/**
 * A header cannot have other characters, and `fetch` would fail as if there were no connection. The service refuses an
 * empty key like one that it cannot use.
 */
const keyText = (key: string): string => (/^[ -~]*$/.test(key) ? key : "")

/** Returns the request of a call: a JSON body without `undefined` members, or a query without them. */
const outgoingOf = <In extends KeyedCall, A, E>(
  { durations = [], isKeyed, method, path, wireNames }: Endpoint<In, A, E>,
  input: In,
): Outgoing => {
  const fields = Object.entries<string>(wireNames).map(([field, name]): [string, unknown] => {
    const value: unknown = Reflect.get(input, field)
    const isDuration = value !== undefined && durations.includes(field)
    return [name, isDuration ? millisOf(value) / 1_000 : value]
  })
  const { idempotencyKey = crypto.randomUUID(), signal } = input
  const writes = method === "POST"
  return {
    method,
    path: writes ? path : pathOf(path, fields),
    body: writes ? JSON.stringify(Object.fromEntries(fields)) : undefined,
    signal,
    idempotencyKey: isKeyed === true ? keyText(idempotencyKey) : undefined,
  }
}

const failed = <E>(error: E) => ({ ok: false, error }) as const

/** The code in the header. A value of another form comes from another server. */
const codeIn = ({ errorCode }: Answered): string | undefined =>
  errorCode !== null && /^[a-z_]{1,40}$/.test(errorCode) ? errorCode : undefined

const unexpected = (answered: Answered, text: string, writes: boolean): UnexpectedResponse => ({
  code: "unexpected_response",
  reason: codeIn(answered),
  message: `The answer (status ${answered.status}) is not one that the service gives`,
  status: answered.status,
  text: text.slice(0, 200),
  mayHaveTakenEffect: writes && !unread.includes(answered.status),
})

const noAnswer = (
  outcome: Exclude<Exchange, Answered>,
  { timeoutMillis }: Settings,
  mayHaveTakenEffect: boolean,
): { readonly ok: false; readonly error: CommonError } => {
  const rest = { status: undefined, mayHaveTakenEffect } as const
  const { type: code } = outcome
  if (code === "aborted") return failed({ code, message: "The call was aborted", ...rest })
  if (code === "timeout") {
    return failed({ code, message: `No answer within ${timeoutMillis} ms`, ...rest })
  }
  const { reason } = outcome
  const shown = reason === undefined ? "" : ` (${reason})`
  return failed({ code, reason, message: `No answer: the connection failed${shown}`, ...rest })
}

const read = <In extends CallOptions, A, E>(
  { errors, method, success, wireNames }: Endpoint<In, A, E>,
  answered: Answered,
  apiKey: string,
): Result<A, E | CommonError> => {
  const { retryAfter, status, text } = answered
  const clean = (shown: string): string => shown.replaceAll(apiKey, "•••")
  const body = objectOf(parse(text))
  const writes = method === "POST"
  if (status === 200) {
    const data = body["success"] === true ? success(body["data"], answered, body) : undefined
    if (data !== undefined) return { ok: true, data }
  } else if (isText(body["error"])) {
    const message = clean(body["error"])
    const code = codeIn(answered)
    const wait = secondsOf(retryAfter)
    const refused = { status, code, message, body, retryAfter: wait, writes, clean, wireNames }
    for (const readRefusal of [...errors, ...commonReaders]) {
      const error = readRefusal(refused)
      if (error !== undefined) return failed(error)
    }
  }
  return failed(unexpected(answered, clean(text), writes))
}

/** The error of a field that the call does not have, or that is no duration. */
const refusalOf = <In extends KeyedCall, A, E>(
  { durations = [], isKeyed, wireNames }: Endpoint<In, A, E>,
  input: In,
): CommonError | undefined => {
  const own = isKeyed === true ? ["idempotencyKey", "signal"] : ["signal"]
  const known = [...Object.keys(wireNames), ...own]
  const unknown = unknownName(input, known)
  if (unknown !== undefined) {
    const problem = `is not a field; the fields are ${known.join(", ")}`
    return invalid(unknown, problem, `${unknown} is not a field of this call`)
  }
  for (const field of durations) {
    const value: unknown = Reflect.get(input, field)
    if (value === undefined || !Number.isNaN(millisOf(value))) continue
    return invalid(field, instead(value), `${field} ${instead(value)}`)
  }
  return undefined
}

const invalid = (field: string, problem: string, message: string): CommonError => {
  return { code: "invalid_request", message, status: undefined, details: { [field]: [problem] } }
}

/** Calls an endpoint, with retries where that is safe. Never rejects. */
export const call = async <In extends KeyedCall, A, E = never>(
  settings: Settings,
  endpoint: Endpoint<In, A, E>,
  input: In,
): Promise<Result<A, E | CommonError>> => {
  const refused = refusalOf(endpoint, input)
  if (refused !== undefined) return failed(refused)
  const { signal } = input
  const isAborted = (): boolean => signal?.aborted === true
  const aborted = (writes: boolean) => noAnswer({ type: "aborted" }, settings, writes)
  if (isAborted()) return aborted(false)
  const outgoing = outgoingOf(endpoint, input)
  const writes = outgoing.method === "POST"
  settings.budget.earn()
  for (let tries = 0; ; tries++) {
    const outcome = await exchange(settings, outgoing)
    const wait = tries < settings.retries ? waitBefore(outgoing, outcome, tries) : undefined
    if (wait === undefined || !settings.budget.spend()) {
      return outcome.type === "answered"
        ? read(endpoint, outcome, settings.apiKey)
        : noAnswer(outcome, settings, writes)
    }
    try {
      await settings.delay(wait, signal)
    } catch {
      // A `delay` of the host may reject when the signal aborts. The wait is over in both cases.
    }
    if (isAborted()) return aborted(writes)
  }
}
