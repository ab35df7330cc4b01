import type { RequestContext } from "@countersign/http/RequestContext"
import type { IncomingMessage } from "node:http"

/** The third argument that Express and Connect pass to a listener. */
export type NextFunction = (error?: unknown) => void

/** The path of Express's `app.use(path, listener)`; `undefined` on other servers, and at the root. */
const baseUrlOf = (request: IncomingMessage): string | undefined =>
  "baseUrl" in request && typeof request.baseUrl === "string" && request.baseUrl !== ""
    ? request.baseUrl
    : undefined

/** The body that one of Express's parsers has read; `undefined` if the body is still unread. */
const parsedBodyOf = (request: IncomingMessage): unknown =>
  request.readableDidRead && "body" in request ? request.body : undefined

/**
 * What a listener knows of a request. Express removes the path of `use` from `url` and keeps it in `baseUrl`,
 * a property that no header can set: it is put back, and becomes the base path. What the caller passes goes
 * before that.
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
