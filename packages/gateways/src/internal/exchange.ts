/**
 * One request to a vendor, and what is certain about it afterwards.
 */
import type { GatewayOutcome } from "@countersign/core/domain/GatewayOutcome"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { leftToOthers } from "./outcomes.ts"

/** What a vendor has answered. */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** What the text stands for as JSON; `undefined` when it is none. */
  readonly json: unknown
}

/** No answer: nothing has left, or nobody can say. */
export type Silence = Extract<GatewayOutcome, { readonly _tag: "NotSent" | "Rejected" | "Unknown" }>

/** Longest answer that is read. */
export const maxAnswerBytes = 262_144

/**
 * Codes of errors that come before the first byte of a request has left, whichever client it is that has
 * them. Of what TLS says, that is the refusal of the vendor's certificate and of a version or a name in the
 * very first message. Anything else may come when the request is under way: a vendor of TLS 1.3 refuses our
 * certificate after it could read the request, and `EPROTO` is a write that has failed, early or late.
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

/** Codes that a connection may end with at any time, and prove something only of the attempt to make one. */
const beforeAnyByteOfConnect = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])

interface Failure {
  readonly code: string
  readonly syscall: unknown
}

/** The innermost error that has a code. `fetch` wraps what the socket says. */
const failureOf = (error: unknown, depth = 0): Failure | undefined => {
  if (typeof error !== "object" || error === null || depth > 8) return undefined
  const inner = "cause" in error ? failureOf(error.cause, depth + 1) : undefined
  // Several addresses were tried, and all failed: the first failure stands for them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const own =
    "code" in error && typeof error.code === "string"
      ? { code: error.code, syscall: "syscall" in error ? error.syscall : undefined }
      : undefined
  return inner ?? failureOf(first, depth + 1) ?? own
}

const provesNothingLeft = ({ code, syscall }: Failure): boolean =>
  beforeAnyByte.has(code) || (syscall === "connect" && beforeAnyByteOfConnect.has(code))

/** Never the error's own words: they may quote the address, and a key with it. */
const silence = (error: HttpClientError): Silence => {
  const failure = failureOf(error)
  if (error.reason._tag === "EncodeError" || error.reason._tag === "InvalidUrlError") {
    return leftToOthers("The request could not be made")
  }
  return failure !== undefined && provesNothingLeft(failure)
    ? { _tag: "NotSent", message: `No connection to the gateway (${failure.code})` }
    : { _tag: "Unknown", message: `The gateway's answer was lost (${failure?.code ?? "no code"})` }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const tooLong = { _tag: "TooLong" } as const

/** Sends a request once. No redirect is followed, and nothing is repeated. */
export const exchange = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
): Effect.Effect<Answer | Silence> =>
  Effect.gen(function* () {
    const response = yield* client.execute(request)
    const chunks: Array<Uint8Array> = []
    let length = 0
    yield* Stream.runForEach(response.stream, (chunk) => {
      length += chunk.byteLength
      if (length > maxAnswerBytes) return Effect.fail(tooLong)
      chunks.push(chunk)
      return Effect.void
    })
    const text = new TextDecoder().decode(concat(chunks, length))
    return {
      _tag: "Answer",
      status: response.status,
      headers: response.headers,
      text,
      json: parsed(text),
    } satisfies Answer
  }).pipe(
    Effect.provideService(RequestInit, { redirect: "manual" }),
    // A span of the client would show the address, which holds a key or a number with some vendors, and
    // would tell the vendor the names of our spans.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchTags({
      HttpClientError: (error) => Effect.succeed(silence(error)),
      TooLong: () =>
        Effect.succeed<Silence>({ _tag: "Unknown", message: "The gateway's answer is too long" }),
    }),
  )

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
