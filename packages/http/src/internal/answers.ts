/**
 * Responses: JSON that caches must not store.
 */
import { codes, type ErrorCode } from "@countersign/core/domain/ErrorCode"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { refusal } from "../AdmissionGate.ts"

type Headers = Readonly<Record<string, string>>

const noStore: Headers = { "cache-control": "no-store" }

/** Returns a JSON response. */
export const json = (
  status: number,
  body: object,
  headers: Headers = noStore,
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body, { status, headers })

/** Returns a JSON response with additional headers. */
export const jsonWith = (
  status: number,
  body: object,
  headers: Headers,
): HttpServerResponse.HttpServerResponse => json(status, body, { ...noStore, ...headers })

/** The values of `Countersign-Error`: the codes of the engine, and those that only HTTP has. */
export type FailureCode =
  | ErrorCode
  | "body_too_large"
  | "method_not_allowed"
  | "not_found"
  | "unsupported_media_type"

/** Returns an error response: a body for people, and a code for programs. */
export const failure = (
  status: number,
  code: FailureCode,
  body: { readonly error: string },
  headers: Headers = {},
): HttpServerResponse.HttpServerResponse =>
  jsonWith(status, body, { "countersign-error": code, ...headers })

/** Returns a refusal with the time after which to retry. */
export const retryAfter = (
  status: 429 | 503,
  code: FailureCode,
  error: string,
  seconds: number,
): HttpServerResponse.HttpServerResponse => {
  const body = { error, retry_after: seconds }
  return failure(status, code, body, { "retry-after": String(seconds) })
}

/** The same response for a missing, malformed, unknown or revoked key. */
export const unauthorized = failure(
  401,
  codes.Unauthorized,
  { error: "Invalid or revoked API key" },
  { "www-authenticate": "Bearer" },
)

export const internalError = failure(500, "internal", { error: "Internal error" })

export const notFound = failure(404, "not_found", { error: "Not found" })

export const methodNotAllowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  failure(405, "method_not_allowed", { error: "Method not allowed" }, { allow })

/** Returns the response to OPTIONS. It has no CORS headers, because API keys must not be used in browsers. */
export const allowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 204, headers: { ...noStore, allow } })

/** Created once, because a refusal at the gate must cost next to nothing. */
export const overloaded = HttpServerResponse.text(refusal.body, {
  status: refusal.status,
  headers: refusal.headers,
  contentType: refusal.headers["content-type"],
})
