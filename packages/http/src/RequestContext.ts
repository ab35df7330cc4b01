/**
 * Facts about a request that only the mount knows. The mount attaches them before it passes the request on, and
 * the handlers read them.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

export interface RequestContext {
  /** The address of the peer of the connection, if the request's own source cannot provide it. */
  readonly clientAddress?: string | undefined
  /**
   * The path before the interface's own paths in the URL of this request, such as `/api/v2`.
   *
   * @defaultValue `basePath` of the options
   */
  readonly basePath?: string | undefined
  /**
   * The body, if the host has parsed it: bytes, text, or the parsed JSON. `undefined`: the body has not been
   * read.
   */
  readonly body?: unknown
}

const contexts = new WeakMap<object, RequestContext>()

const nothing: RequestContext = {}

/** Attaches a context to a web `Request` or to an `IncomingMessage` of Node. */
export const attach = (source: object, context: RequestContext): void => {
  contexts.set(source, context)
}

/** Returns the context of a request. */
export const of = ({ source }: HttpServerRequest): RequestContext => contexts.get(source) ?? nothing
