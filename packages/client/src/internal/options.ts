/**
 * How a client is set up. What cannot be meant is refused when it is made, not at the first call.
 */

export interface ClientOptions {
  /** Where the interface is, as in `https://example.com/api/v2`. */
  readonly baseUrl: string
  /** An API key of the organization. It is a secret: it belongs on servers only. */
  readonly apiKey: string
  /** The one of the runtime when left out. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How long one request may take; 30,000 when left out, which is longer than a gateway may take. */
  readonly timeoutMillis?: number | undefined
  /** How often a call that only reads is tried again; 0 to 10, 2 when left out. */
  readonly retries?: number | undefined
  /** The wait before another try. Tests put their own here; it may end early when the signal does. */
  readonly delay?: ((millis: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

/** Options that were looked at, with the defaults filled in. */
export interface Settings {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: NonNullable<ClientOptions["fetch"]>
  readonly timeoutMillis: number
  readonly retries: number
  readonly delay: NonNullable<ClientOptions["delay"]>
}

/** Longest that a timer can be set to. */
const maxTimeoutMillis = 2_147_483_647

const maxRetries = 10

const refuse = (option: string, reason: string): never => {
  // The values stay out of it: one of them is a secret, and an address may have a password in it.
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

/** What a header can carry; `fetch` would name the whole key in its complaint about anything else. */
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

/** Throws a `TypeError` where an option cannot be meant. */
export const settingsOf = (options: ClientOptions): Settings => {
  const { apiKey, timeoutMillis = 30_000, retries = 2 } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  if (typeof apiKey !== "string" || !visible.test(apiKey)) {
    return refuse("apiKey", "has to be visible ASCII characters, and at least one")
  }
  if (!(timeoutMillis > 0 && timeoutMillis <= maxTimeoutMillis)) {
    return refuse("timeoutMillis", `has to be more than 0 and at most ${maxTimeoutMillis}`)
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > maxRetries) {
    return refuse("retries", `has to be a whole number from 0 to ${maxRetries}`)
  }
  return {
    baseUrl,
    apiKey,
    // Looked up for each request: some tools replace it after this has run.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMillis,
    retries,
    delay: options.delay ?? pause,
  }
}
