import { type Duration, instead, millisOf } from "./durations.ts"
import { RetryBudget } from "./retries.ts"

/** The options of a client. They are checked when it is created, not at the first call. */
export interface ClientOptions {
  /** The base URL of the interface, such as `https://example.com/api/v2`. */
  readonly baseUrl: string
  /** An API key of the organization. It is a secret: use it on servers only. */
  readonly apiKey: string
  /** @defaultValue `fetch` of the runtime */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Time limit of one request. The default is longer than a gateway may take.
   *
   * @defaultValue `"30 seconds"`
   */
  readonly timeout?: Duration | undefined
  /** Number of retries of a call that is safe to repeat; 0 to 10. @defaultValue 2 */
  readonly retries?: number | undefined
  /** Waits before a retry. Tests replace it. It may end early when the signal aborts. */
  readonly delay?: ((millis: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

/** Validated options with their defaults. `baseUrl` has no slash at its end. */
export type Settings = {
  readonly [K in Exclude<keyof ClientOptions, "timeout">]-?: NonNullable<ClientOptions[K]>
} & {
  readonly timeoutMillis: number
  readonly budget: RetryBudget
}

/** 24 days. A timer supports hardly more. */
const maxTimeoutMillis = 2_073_600_000

const maxRetries = 10

const refuse = (option: string, reason: string): never => {
  // The message has no values, because the key is a secret, and a URL may contain a password.
  throw new TypeError(`createClient: ${option} ${reason}`)
}

const baseUrlOf = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return refuse("baseUrl", "has to be an absolute URL")
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse("baseUrl", "has to begin with https:// or http://")
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("baseUrl", "may not carry a user or a password")
  }
  if (url.search !== "" || url.hash !== "") {
    return refuse("baseUrl", "may not have a query or a fragment")
  }
  return url.href.replace(/\/+$/, "")
}

/** The characters that a header can carry. For others, the error of `fetch` would quote the whole key. */
const visible = /^[\x21-\x7e]+$/

const pause: Settings["delay"] = (millis, signal) =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal?.addEventListener("abort", end)
    if (signal?.aborted === true) end()
  })

const names: ReadonlyArray<keyof ClientOptions> = [
  "baseUrl",
  "apiKey",
  "fetch",
  "timeout",
  "retries",
  "delay",
]

/** Validates the options. Throws a `TypeError` if one is invalid. */
export const settingsOf = (options: ClientOptions): Settings => {
  checkNames("createClient", options, names)
  const { apiKey, timeout = "30 seconds", retries = 2 } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  if (typeof apiKey !== "string" || !visible.test(apiKey)) {
    return refuse("apiKey", "has to be visible ASCII characters, and at least one")
  }
  const timeoutMillis = millisOf(timeout)
  if (Number.isNaN(timeoutMillis)) return refuse("timeout", instead(timeout))
  if (!(timeoutMillis > 0 && timeoutMillis <= maxTimeoutMillis)) {
    return refuse("timeout", "has to be more than 0 seconds and at most 24 days")
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > maxRetries) {
    return refuse("retries", `has to be a whole number from 0 to ${maxRetries}`)
  }
  return {
    baseUrl,
    apiKey,
    // Looked up for each request, because some tools replace `globalThis.fetch` later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMillis,
    retries,
    delay: options.delay ?? pause,
    budget: new RetryBudget(),
  }
}

/** The first name of an object that is not known and whose value is not `undefined`. */
export const unknownName = (value: object, known: ReadonlyArray<string>): string | undefined =>
  Object.entries(value).find(([name, member]) => member !== undefined && !known.includes(name))?.[0]

/** Throws a `TypeError` for an unknown option, which names the known ones. */
export const checkNames = (name: string, options: object, known: ReadonlyArray<string>): void => {
  const unknown = unknownName(options, known)
  if (unknown === undefined) return
  throw new TypeError(`${name}: ${unknown} is not an option; the options are ${known.join(", ")}`)
}
