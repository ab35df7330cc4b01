/**
 * One request and what comes of it. Never rejects.
 */
import type { Settings } from "./options.ts"

/** A request as it goes out. */
export interface Outgoing {
  readonly method: "GET" | "POST"
  /** Below the base URL, with its query. */
  readonly path: string
  /** JSON. */
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
}

/** Whatever has answered; it need not be the service. */
export interface Answered {
  readonly type: "answered"
  readonly status: number
  readonly text: string
  /** Headers as they are. */
  readonly retryAfter: string | null
  readonly errorCode: string | null
  readonly first: string | null
}

export type Exchange =
  | Answered
  | { readonly type: "timeout" }
  | { readonly type: "aborted" }
  | { readonly type: "network"; readonly reason: string | undefined }

/**
 * Most that is read of an answer. The longest page of the log is a fraction of it; it is there for what
 * is not the service.
 */
const maxBodyBytes = 16 * 1_024 * 1_024

/** What is beyond the bound stays unread, and what was read is no JSON then. */
const textOf = async ({ body }: Response): Promise<string> => {
  if (body === null) return ""
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBodyBytes) return text
    text += decoder.decode(value, { stream: true })
  }
}

const answerTo = async (
  { apiKey, baseUrl, fetch }: Settings,
  { body, method, path }: Outgoing,
  signal: AbortSignal,
): Promise<Answered> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
    // The service never redirects: whoever does so is not to be followed with a key, or to send twice.
    redirect: "manual",
    signal,
  })
  return {
    type: "answered",
    status: response.status,
    text: await textOf(response),
    retryAfter: response.headers.get("retry-after"),
    errorCode: response.headers.get("countersign-error"),
    first: response.headers.get("countersign-first"),
  }
}

const codeIn = (error: unknown): string | undefined =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  typeof error.code === "string" &&
  /^\w{1,40}$/.test(error.code)
    ? error.code
    : undefined

/** Of an error only its code is kept: its message may quote a header. */
const codeOf = (error: unknown): string | undefined =>
  (error instanceof Error ? codeIn(error.cause) : undefined) ?? codeIn(error)

/** Asks once, for as long as one request may take. */
export const exchange = (settings: Settings, outgoing: Outgoing): Promise<Exchange> =>
  new Promise((resolve) => {
    const { signal } = outgoing
    const controller = new AbortController()
    const settle = (outcome: Exchange): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      resolve(outcome)
      // Also ends what is no longer read. Not left to `fetch` alone, because one of the host's may be deaf.
      controller.abort()
    }
    const onAbort = (): void => settle({ type: "aborted" })
    const timer = setTimeout(() => settle({ type: "timeout" }), settings.timeoutMillis)
    signal?.addEventListener("abort", onAbort)
    answerTo(settings, outgoing, controller.signal).then(settle, (error: unknown) =>
      settle({ type: "network", reason: codeOf(error) }),
    )
  })
