/**
 * One request to a vendor, and what is certain about it afterwards.
 */
import type { GatewayOutcome } from "@countersign/core/GatewayOutcome"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"

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
export type Silence = Extract<GatewayOutcome, { readonly _tag: "NotSent" | "Unknown" }>

/** Longest answer that is read. */
export const maxAnswerBytes = 262_144

/** Codes of errors that come before the first byte of a request has left. */
const beforeAnyByte = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPROTO",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UND_ERR_CONNECT_TIMEOUT",
])

/** The code of the innermost error that has one. `fetch` wraps what the socket says. */
const codeOf = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 8) return undefined
  const inner = "cause" in error ? codeOf(error.cause, depth + 1) : undefined
  // Several addresses were tried, and all failed: the first failure stands for them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const own = "code" in error && typeof error.code === "string" ? error.code : undefined
  return inner ?? codeOf(first, depth + 1) ?? own
}

/** Never the error's own words: they may quote the address, and a key with it. */
const silence = (error: HttpClientError): Silence => {
  const code = codeOf(error)
  if (error.reason._tag === "EncodeError" || error.reason._tag === "InvalidUrlError") {
    return { _tag: "NotSent", message: "The request could not be made" }
  }
  return code !== undefined && beforeAnyByte.has(code)
    ? { _tag: "NotSent", message: `No connection to the gateway (${code})` }
    : { _tag: "Unknown", message: `The gateway's answer was lost (${code ?? "no code"})` }
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
