/**
 * Web `Request`s for functions of the host. They know the request of the mount that they stand for.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The same in every copy of this package. */
const sourceKey = Symbol.for("@countersign/http/mount/WebRequest/source")

/** A web `Request` without a body, or with the body of a form. */
export const make = (request: HttpServerRequest, form?: string): Request => {
  const url = URL.parse(request.originalUrl) ?? new URL(request.url, "http://localhost")
  // Those of a wrong `Host`: a web `Request` refuses them.
  url.username = ""
  url.password = ""
  const made = new Request(url, {
    method: request.method,
    headers: { ...request.headers },
    ...(form === undefined ? {} : { body: form }),
  })
  Reflect.set(made, sourceKey, request.source)
  return made
}

/** The web `Request` of the mount, whose body may have been read, or a made one without a body. */
export const of = (request: HttpServerRequest): Request =>
  request.source instanceof Request ? request.source : make(request)

/** The request of the mount behind a made one, such as an `IncomingMessage`; `undefined` behind any other. */
export const sourceOf = (request: Request): unknown => Reflect.get(request, sourceKey)
