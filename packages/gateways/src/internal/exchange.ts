/** Makes one request to a vendor, and states what is certain afterwards. */
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { parseJson } from "./json.ts"
import * as Outcomes from "./outcomes.ts"

/** A vendor's answer. */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly headers: Outcomes.AnswerHeaders
  readonly text: string
  /** The text parsed as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** Longest answer that is read, in bytes. */
const maxAnswerBytes = 262_144

/**
 * Error codes of all HTTP clients that occur before the first byte of a request has left. For TLS, these are
 * the rejection of the vendor's certificate, and of a version or a name in the first handshake message. Other
 * codes may occur after that. A TLS 1.3 server rejects our certificate after it could read the request, and
 * `EPROTO` is a failed write at any time.
 */
const beforeAnyByte = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ENOTFOUND",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** Codes that may end a connection at any time. They prove that nothing has left only during the connect. */
const beforeAnyByteOfConnect = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])

type Failure = { readonly code: string; readonly syscall: unknown }

/** Finds the innermost error with a code, because `fetch` wraps the socket's error. */
const failureOf = (error: unknown, depth = 0): Failure | undefined => {
  if (typeof error !== "object" || error === null || depth > 8) return undefined
  const inner = "cause" in error ? failureOf(error.cause, depth + 1) : undefined
  // All of several addresses failed. The first failure represents them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const own =
    "code" in error && typeof error.code === "string"
      ? { code: error.code, syscall: "syscall" in error ? error.syscall : undefined }
      : undefined
  return inner ?? failureOf(first, depth + 1) ?? own
}

const provesNothingLeft = ({ code, syscall }: Failure): boolean =>
  beforeAnyByte.has(code) || (syscall === "connect" && beforeAnyByteOfConnect.has(code))

/** Maps an error to an outcome. It never uses the error's message, which may quote the URL and a key in it. */
const failureOutcome = (error: HttpClientError): Outcomes.Refusal => {
  const failure = failureOf(error)
  if (error.reason._tag === "EncodeError" || error.reason._tag === "InvalidUrlError") {
    return Outcomes.unsupported("The request could not be made")
  }
  return failure !== undefined && provesNothingLeft(failure)
    ? Outcomes.notSent(`No connection to the gateway (${failure.code})`)
    : Outcomes.unknown(`The gateway's answer was lost (${failure?.code ?? "no code"})`)
}

/** Sends a request once, and reads the answer. `undefined`: there is no answer, or it is not readable. */
export const lookUp = <A>(
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  read: (answer: Answer) => A | undefined,
): Effect.Effect<A | undefined> =>
  Effect.map(exchange(client, request), (answer) =>
    answer._tag === "Answer" ? read(answer) : undefined,
  )

/** Sends a request once. It follows no redirect and does not retry. */
export const exchange: (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
) => Effect.Effect<Answer | Outcomes.Refusal> = Effect.fnUntraced(
  function* (client, request) {
    const response = yield* client.execute(request)
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    yield* Stream.runForEach(response.stream, (chunk) => {
      length += chunk.byteLength
      if (length > maxAnswerBytes) return Effect.fail({ _tag: "TooLong" } as const)
      text += decoder.decode(chunk, { stream: true })
      return Effect.void
    })
    text += decoder.decode()
    return {
      _tag: "Answer",
      status: response.status,
      headers: response.headers,
      text,
      json: parseJson(text),
    } satisfies Answer
  },
  Effect.provideService(RequestInit, { redirect: "manual" }),
  // A client span would show the URL, which contains a key or a phone number at some vendors. It would also
  // send the names of our spans to the vendor.
  Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
  Effect.catchTags({
    HttpClientError: (error) => Effect.succeed(failureOutcome(error)),
    TooLong: () => Effect.succeed(Outcomes.unknown("The gateway's answer is too long")),
  }),
)
