import { sentenceOf } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

type Headers = Readonly<Record<string, string>>

/** Caches must not store any response. */
const noStore: Headers = { "cache-control": "no-store" }

export const json = <Body extends object>(
  status: number,
  body: Body,
  headers?: Headers,
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: headers === undefined ? noStore : { ...noStore, ...headers },
  })

/** Returns the response of an endpoint whose body has no members besides `data`. */
export const success = <Body extends { readonly Encoded: { readonly data: object } }>(
  data: Body["Encoded"]["data"],
  headers?: Headers,
): HttpServerResponse.HttpServerResponse => json(200, { success: true, data }, headers)

const minuteMillis = 60_000
let knownMinute = Number.NaN
let minuteText = ""

/** Formats a time like `toISOString`. Keeps the text of a minute, because most times follow one another. */
export const iso = (epochMillis: number): string => {
  const minute = Math.floor(epochMillis / minuteMillis)
  if (minute !== knownMinute) {
    minuteText = new Date(minute * minuteMillis).toISOString().slice(0, -"00.000Z".length)
    knownMinute = minute
  }
  const millis = epochMillis - minute * minuteMillis
  return `${minuteText}${(millis / 1_000).toFixed(3).padStart(6, "0")}Z`
}

/** Returns an error response: a body for people, and a code for programs. */
export const failure = <Body extends { readonly error: string }>(
  code: AnyCode,
  body: Body,
  {
    headers,
    status = rowOf(code).status,
  }: { readonly headers?: Headers; readonly status?: number } = {},
): HttpServerResponse.HttpServerResponse =>
  json(status, body, { "countersign-error": code, ...headers })

/** Returns the response of an error without parameters: the sentence of its row. */
export const plain = (
  code: AnyCode,
  headers: Headers = {},
): HttpServerResponse.HttpServerResponse =>
  failure(code, { error: sentenceOf(rowOf(code), {}) }, { headers })

/** The same response for a missing, malformed, unknown or revoked key. */
export const unauthorized = plain("unauthorized", { "www-authenticate": "Bearer" })

export const internalError = plain("internal")

export const notFound = plain("not_found")

export const methodNotAllowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  plain("method_not_allowed", { allow })

/** Returns the response to OPTIONS. It has no CORS headers, because API keys must not be used in browsers. */
export const allowed = (allow: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 204, headers: { ...noStore, allow } })
