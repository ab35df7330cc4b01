import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The host that the client has asked for, in lower case; a web `Request` may have it in its URL only. */
export const hostOf = ({ headers, originalUrl }: HttpServerRequest): string | undefined =>
  (headers["host"] ?? URL.parse(originalUrl)?.host)?.toLowerCase()

const isRead = ({ method }: HttpServerRequest): boolean => method === "GET" || method === "HEAD"

/**
 * Whether a page of another site may have caused the request. Browsers send `Sec-Fetch-Site`, and old ones `Origin`
 * with each write. A program sends neither, and no cookie.
 */
export const isCrossSite = (request: HttpServerRequest): boolean => {
  const { cookie, origin, "sec-fetch-site": site } = request.headers
  if (site !== undefined) {
    return isRead(request) ? site === "cross-site" || site === "same-site" : site !== "same-origin"
  }
  if (isRead(request)) return false
  if (origin !== undefined) {
    const host = hostOf(request)
    return host === undefined || URL.parse(origin)?.host !== host
  }
  return cookie !== undefined
}
