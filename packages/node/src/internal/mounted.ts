import type { RequestContext } from "@countersign/http/mount/RequestContext"
import type { IncomingMessage } from "node:http"

/** The third argument that Express and Connect pass to a listener. */
export type NextFunction = (error?: unknown) => void

/** Returns the path of Express's `app.use(path, listener)`; `undefined` on other servers, and at the root. */
const baseUrlOf = (request: IncomingMessage): string | undefined =>
  "baseUrl" in request && typeof request.baseUrl === "string" && request.baseUrl !== ""
    ? request.baseUrl
    : undefined

/** Returns the body that one of Express's parsers has read; `undefined` if the body is still unread. */
const parsedBodyOf = (request: IncomingMessage): unknown =>
  request.readableDidRead && "body" in request ? request.body : undefined

/**
 * Returns the request context of a listener. Express moves the path of `use` from `url` to `baseUrl`, a
 * property that no header can set. This function puts the path back and makes it the base path. The caller's
 * own values take precedence.
 */
export const contextOf = (
  request: IncomingMessage,
  passed: RequestContext | NextFunction | undefined,
): RequestContext | undefined => {
  const context = typeof passed === "function" ? undefined : passed
  const basePath = baseUrlOf(request)
  if (basePath === undefined || context?.basePath !== undefined) return context
  request.url = `${basePath}${request.url ?? ""}`
  return { body: parsedBodyOf(request), ...context, basePath }
}
