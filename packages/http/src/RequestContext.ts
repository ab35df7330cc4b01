/**
 * What a mount knows of a request, and the request does not say: told before it is handed over, and found
 * again wherever the request is answered.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

export interface RequestContext {
  /** The address at the other end of the connection, where the request's own source cannot tell it. */
  readonly clientAddress?: string | undefined
  /**
   * What stands before the interface's own paths in the URL of this request, as in `/api/v2`; `basePath` of
   * the options where it is left out.
   */
  readonly basePath?: string | undefined
  /**
   * The body, where a parser of the host has read it: bytes, text, or what JSON stood for. `undefined`
   * where nobody has.
   */
  readonly body?: unknown
}

const contexts = new WeakMap<object, RequestContext>()

const nothing: RequestContext = {}

/** Tells what is known of a request: of a web `Request`, or of an `IncomingMessage` of Node. */
export const attach = (source: object, context: RequestContext): void => {
  contexts.set(source, context)
}

/** What was told of a request. */
export const of = ({ source }: HttpServerRequest): RequestContext => contexts.get(source) ?? nothing
