/** What the admin mount reads of a request. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { BodyReader } from "../../mount/BodyReader.ts"
import * as RequestContext from "../../mount/RequestContext.ts"

export const readMethods = ["GET", "HEAD"] as const

export const isRead = (method: string): boolean => readMethods.some((one) => one === method)

/** Express passes the mount without a slash on as if it had one, beside the target that the client has sent. */
export const targetOf = ({ source, url }: HttpServerRequest, base: string): string =>
  "originalUrl" in source &&
  typeof source.originalUrl === "string" &&
  source.originalUrl.split("?", 1)[0] === base
    ? source.originalUrl
    : url

/** The host that the client has asked for, in lower case; a web `Request` may have it in its URL only. */
export const hostOf = ({ headers, originalUrl }: HttpServerRequest): string | undefined =>
  (headers["host"] ?? URL.parse(originalUrl)?.host)?.toLowerCase()

/**
 * Whether a page of another site may have caused the request. Browsers send `Sec-Fetch-Site`, and old ones `Origin`
 * with each write. A program sends neither, and no cookie.
 */
export const isCrossSite = (request: HttpServerRequest): boolean => {
  const { cookie, origin, "sec-fetch-site": site } = request.headers
  if (site !== undefined) {
    return isRead(request.method)
      ? site === "cross-site" || site === "same-site"
      : site !== "same-origin"
  }
  if (isRead(request.method)) return false
  if (origin !== undefined) {
    const host = hostOf(request)
    return host === undefined || URL.parse(origin)?.host !== host
  }
  return cookie !== undefined
}

const formType = "application/x-www-form-urlencoded"

/** Maximum size of a form in bytes: that of a login. */
const maxBytes = 4_096

/** Whether a page has sent a form, such as that of a login. */
export const isForm = ({ headers, method }: HttpServerRequest): boolean =>
  method === "POST" && (headers["content-type"] ?? "").startsWith(formType)

/** The form that a parser of the host has read. */
const parsedForm = (body: unknown): string => {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const entries = Object.entries(body ?? {}).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(entries).toString()
}

/** Reads the body of a form. A form that is too large or cannot be read is empty. */
export const formBody = (request: HttpServerRequest, read: BodyReader): Effect.Effect<string> => {
  const { body } = RequestContext.of(request)
  if (body !== undefined) return Effect.succeed(parsedForm(body).slice(0, maxBytes))
  return Effect.match(read(request, maxBytes), {
    onFailure: () => "",
    onSuccess: (bytes) => new TextDecoder().decode(bytes),
  })
}
