import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The host that the client has asked for, in lower case; a web `Request` may have it in its URL only. */
export const hostOf = ({ headers, originalUrl }: HttpServerRequest): string | undefined =>
  (headers["host"] ?? URL.parse(originalUrl)?.host)?.toLowerCase()
