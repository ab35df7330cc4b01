/** The calls of the login protocol over `fetch`. */
import type { Answer, Fetcher, Idle, Problem, Waiting } from "./types.ts"

/** How long a call may take. */
const timeoutMillis = 30_000

/** Where the login is mounted. */
export interface FetcherOptions {
  /** The path of the login, such as `/login`, or its address on another origin. */
  readonly basePath: string
  /** @defaultValue the browser's own */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const isNumber = (value: unknown): boolean => typeof value === "number"
const isText = (value: unknown): boolean => typeof value === "string"

const isWaiting = (value: unknown): value is Waiting =>
  isFields(value) &&
  value["status"] === "waiting" &&
  [value["phoneNumber"], value["channel"], value["expiresAt"], value["now"]].every(isText) &&
  (value["resendAt"] === null || isText(value["resendAt"])) &&
  [value["codeLength"], value["resendsRemaining"], value["attemptsRemaining"]].every(isNumber)

const isIdle = (value: unknown): value is Idle => isFields(value) && value["status"] === "idle"

const isOpenOrIdle = (value: unknown): value is Waiting | Idle => isWaiting(value) || isIdle(value)

const isAnything = (_value: unknown): _value is unknown => true

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined

const problemOf = (body: unknown): Problem | undefined => {
  if (!isFields(body) || typeof body["code"] !== "string") return undefined
  return {
    code: body["code"],
    message: typeof body["message"] === "string" ? body["message"] : "",
    retryAfterSeconds: numberOf(body["retryAfterSeconds"]),
    attemptsRemaining: numberOf(body["attemptsRemaining"]),
    details: body["details"],
  }
}

const failure = (code: string, message: string) =>
  ({ ok: false, problem: { code, message } }) as const

const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(response.headers.get("content-type") ?? "")
  return isJson && text !== "" ? JSON.parse(text) : text
}

/**
 * Speaks the login protocol of `createLogin` from `countersign/login`. Each call ends within 30 seconds. If the host
 * answers a right code with a redirect, the data of `check` is `{ redirectedTo }`. The redirect has to stay on an
 * origin that the page may read.
 */
export const createFetcher = (options: FetcherOptions): Fetcher => {
  const { basePath, fetch = globalThis.fetch, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new TypeError(`createFetcher: ${unknown} is not an option; did you mean basePath?`)
  }
  if (!/^(\/|https?:\/\/)/.test(basePath)) {
    throw new TypeError(`createFetcher: write basePath as a path such as "/login", not ${basePath}`)
  }
  const base = basePath.replace(/\/+$/, "")

  const call = async <A>(
    path: string,
    input: object | undefined,
    isExpected: (value: unknown) => value is A,
  ): Promise<Answer<A>> => {
    const url = `${base}/${path}`
    try {
      const response = await fetch(url, {
        method: input === undefined ? "GET" : "POST",
        credentials: "include",
        cache: "no-store",
        signal: AbortSignal.timeout(timeoutMillis),
        ...(input === undefined
          ? {}
          : { headers: { "content-type": "application/json" }, body: JSON.stringify(input) }),
      })
      const data: unknown =
        path === "check" && response.redirected
          ? { redirectedTo: response.url }
          : await bodyOf(response)
      if ((response.ok || response.redirected) && isExpected(data)) return { ok: true, data }
      const problem = response.ok ? undefined : problemOf(data)
      if (problem !== undefined) return { ok: false, problem }
      const message = `${url} answered ${response.status} outside of the login protocol. Is the login mounted there?`
      return failure("unavailable", message)
    } catch (error) {
      return failure("network", `${url} could not be reached: ${String(error)}`)
    }
  }

  return {
    start: (input) => call("start", input, isWaiting),
    resend: (input) => call("resend", input, isWaiting),
    check: (input) => call("check", input, isAnything),
    cancel: () => call("cancel", {}, isIdle),
    state: () => call("state", undefined, isOpenOrIdle),
  }
}
