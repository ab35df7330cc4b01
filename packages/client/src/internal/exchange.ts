import { isText } from "./json.ts"
import type { Settings } from "./options.ts"

export interface Outgoing {
  readonly method: "GET" | "POST"
  /** The path below the base URL, with the query. */
  readonly path: string
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  /** The service recognizes a repeat by it. */
  readonly idempotencyKey: string | undefined
}

/** A response, which may come from a server other than the service. */
export interface Answered {
  readonly type: "answered"
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
  readonly errorCode: string | null
  readonly first: string | null
}

export type Exchange =
  | Answered
  | { readonly type: "timeout" }
  | { readonly type: "aborted" }
  | { readonly type: "network"; readonly reason: string | undefined }

/** Maximum size of a response in bytes, far above the longest page of the log. */
const maxBodyBytes = 16 * 1_024 * 1_024

/** Reads a body up to the limit. A body that is cut off there is not valid JSON. */
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
  { body, idempotencyKey, method, path }: Outgoing,
  signal: AbortSignal,
): Promise<Answered> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
    // The service never redirects. Following a redirect could pass the key to another server or send twice.
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

/** Returns only the code of an error, because its message may quote a header. */
const codeOf = (error: unknown): string | undefined =>
  [error instanceof Error ? error.cause : undefined, error]
    .map((one): unknown => Reflect.get(Object(one), "code"))
    .filter(isText)
    .find((code) => /^\w{1,40}$/.test(code))

/** Makes one request and reads its response, within the time limit. Never rejects. */
export const exchange = (settings: Settings, outgoing: Outgoing): Promise<Exchange> =>
  new Promise((resolve) => {
    const { signal } = outgoing
    const controller = new AbortController()
    const settle = (outcome: Exchange): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      resolve(outcome)
      // This also ends the reading of the body. It does not rely on `fetch`, because a host's `fetch` may
      // ignore the signal.
      controller.abort()
    }
    const onAbort = (): void => settle({ type: "aborted" })
    const timer = setTimeout(() => settle({ type: "timeout" }), settings.timeoutMillis)
    signal?.addEventListener("abort", onAbort)
    answerTo(settings, outgoing, controller.signal).then(settle, (error: unknown) =>
      settle({ type: "network", reason: codeOf(error) }),
    )
  })
