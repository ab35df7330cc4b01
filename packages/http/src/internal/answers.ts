/**
 * Answers as they go out: JSON, never to be kept by a cache.
 */
import { codes, type ErrorCode } from "@countersign/core/domain/ErrorCode"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { refusal } from "../AdmissionGate.ts"

type Headers = Readonly<Record<string, string>>

const noStore: Headers = { "cache-control": "no-store" }

/** A JSON answer. */
export const json = (
  status: number,
  body: object,
  headers: Headers = noStore,
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body, { status, headers })

/** A JSON answer with headers of its own. */
export const jsonWith = (
  status: number,
  body: object,
  headers: Headers,
): HttpServerResponse.HttpServerResponse => json(status, body, { ...noStore, ...headers })

/** What `Countersign-Error` says: a code of the engine, or one that only HTTP has. */
export type FailureCode =
  | ErrorCode
  | "body_too_large"
  | "method_not_allowed"
  | "not_found"
  | "unsupported_media_type"

/** An answer that is no success: its body for people, and its code for programs. */
export const failure = (
  status: number,
  code: FailureCode,
  body: { readonly error: string },
  headers: Headers = {},
): HttpServerResponse.HttpServerResponse =>
  jsonWith(status, body, { "countersign-error": code, ...headers })

/** A refusal that time will lift, which says when. */
export const retryAfter = (
  status: 429 | 503,
  code: FailureCode,
  error: string,
  seconds: number,
): HttpServerResponse.HttpServerResponse => {
  const body = { error, retry_after: seconds }
  return failure(status, code, body, { "retry-after": String(seconds) })
}

/** The same for a key that is missing, malformed, unknown or revoked. */
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

/** Answer to OPTIONS. Keys do not belong into browsers, so nothing is said of other origins. */
export const allowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 204, headers: { ...noStore, allow } })

/** Made once: whoever is sent away at the gate must cost next to nothing. */
export const overloaded = HttpServerResponse.text(refusal.body, {
  status: refusal.status,
  headers: refusal.headers,
  contentType: refusal.headers["content-type"],
})
