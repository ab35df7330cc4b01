/**
 * Facts about a request that only the mount has. The mount attaches them before it passes the request on, and
 * the handlers read them.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { RequestContext } from "./MountOptions.ts"

export type { RequestContext }

const contexts = new WeakMap<object, RequestContext>()

const nothing: RequestContext = {}

/** Attaches a context to a web `Request` or to an `IncomingMessage` of Node. */
export const attach = (source: object, context: RequestContext): void => {
  contexts.set(source, context)
}

/** Returns the context of a request. */
export const of = ({ source }: HttpServerRequest): RequestContext => contexts.get(source) ?? nothing
