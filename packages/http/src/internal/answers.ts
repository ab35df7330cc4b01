/**
 * Answers as they go out: JSON, never to be kept by a cache.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { refusal } from "../Door.ts"

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

/** A refusal that time will lift, which says when. */
export const retryAfter = (
  status: 429 | 503,
  error: string,
  seconds: number,
): HttpServerResponse.HttpServerResponse =>
  jsonWith(status, { error, retry_after: seconds }, { "retry-after": String(seconds) })

/** The same for a key that is missing, malformed, unknown or revoked. */
export const unauthorized = jsonWith(
  401,
  { error: "Invalid or revoked API key" },
  { "www-authenticate": "Bearer" },
)

export const internalError = json(500, { error: "Internal error" })

export const notFound = json(404, { error: "Not found" })

export const methodNotAllowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  jsonWith(405, { error: "Method not allowed" }, { allow })

/** Answer to OPTIONS. Keys do not belong into browsers, so nothing is said of other origins. */
export const allowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 204, headers: { ...noStore, allow } })

/** Made once: whoever is sent away at the door must cost next to nothing. */
export const crowded = HttpServerResponse.text(refusal.body, {
  status: refusal.status,
  headers: refusal.headers,
  contentType: refusal.headers["content-type"],
})
