import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as RequestContext from "../RequestContext.ts"
import type { BodyReader } from "../BodyReader.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** An error code, and what is wrong if the sentence of the code does not say it. */
export type BodyProblem =
  | { readonly code: "body_too_large"; readonly message?: undefined }
  | { readonly code: "invalid_request" | "unsupported_media_type"; readonly message: string }

export const malformed = (message: string): BodyProblem => ({ code: "invalid_request", message })

const unsupported = (message: string): BodyProblem => ({ code: "unsupported_media_type", message })

const tooLarge: BodyProblem = { code: "body_too_large" }
const unreadable = malformed("The body could not be read")
const empty = malformed("The body is empty")

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readObject = (value: unknown): Result.Result<JsonObject, BodyProblem> =>
  isObject(value) ? Result.succeed(value) : Result.fail(malformed("The body must be a JSON object"))

// Fatal, because an incomplete character must not become a question mark in a message.
const decoder = new TextDecoder("utf-8", { fatal: true })

export const parse = (bytes: Uint8Array): Result.Result<JsonObject, BodyProblem> => {
  if (bytes.byteLength === 0) return Result.fail(empty)
  try {
    return readObject(JSON.parse(decoder.decode(bytes)))
  } catch {
    return Result.fail(malformed("The body is not valid JSON"))
  }
}

/** Accepts a body that the host's parser has read: the parsed JSON, or text or bytes that it did not parse. */
const accept = (body: unknown, maxBytes: number): Result.Result<JsonObject, BodyProblem> => {
  if (typeof body === "string") return accept(new TextEncoder().encode(body), maxBytes)
  if (body instanceof Uint8Array) {
    return body.byteLength > maxBytes ? Result.fail(tooLarge) : parse(body)
  }
  return readObject(body)
}

const jsonType = /^application\/json\s*(?:;|$)/i

const headerProblem = (
  { headers }: HttpServerRequest,
  maxBytes: number,
  isRead: boolean,
): BodyProblem | undefined => {
  if (!jsonType.test(headers["content-type"] ?? "")) {
    return unsupported("Content-Type must be application/json")
  }
  const coding = headers["content-encoding"] ?? "identity"
  // A parser that has read the body has decoded it.
  if (coding.toLowerCase() !== "identity" && !isRead) {
    return unsupported("Content-Encoding is not supported")
  }
  return Number(headers["content-length"] ?? 0) > maxBytes ? tooLarge : undefined
}

const hasBody = ({ headers }: HttpServerRequest): boolean =>
  headers["content-type"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  Number(headers["content-length"] ?? 0) > 0

/** Whether the body is JSON whose declared size is allowed, and which no parser of the host has read. */
export const isPlainJson = (request: HttpServerRequest, maxBytes: number): boolean =>
  request.headers["content-length"] !== undefined &&
  RequestContext.of(request).body === undefined &&
  headerProblem(request, maxBytes, false) === undefined

export type JsonReader = (request: HttpServerRequest) => Effect.Effect<JsonObject, BodyProblem>

/** Reads a request without a body, or with an empty one, as `{}`. */
export const orNothing =
  (read: JsonReader): JsonReader =>
  (request) =>
    hasBody(request)
      ? Effect.catchIf(
          read(request),
          (problem) => problem === empty,
          () => Effect.succeed({}),
        )
      : Effect.succeed({})

export const jsonReader =
  (read: BodyReader, maxBytes: number): JsonReader =>
  (request) => {
    const { body } = RequestContext.of(request)
    const problem = headerProblem(request, maxBytes, body !== undefined)
    if (problem !== undefined) return Effect.fail(problem)
    if (body !== undefined) return Effect.fromResult(accept(body, maxBytes))
    return Effect.matchEffect(read(request, maxBytes), {
      onSuccess: (bytes) => Effect.fromResult(parse(bytes)),
      onFailure: (reason) => Effect.fail(reason === "too large" ? tooLarge : unreadable),
    })
  }
