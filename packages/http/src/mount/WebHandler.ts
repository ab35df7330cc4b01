/** Applications, and their form for web `Request`s. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as RequestContext from "./RequestContext.ts"
import * as Context from "effect/Context"
import * as HttpEffect from "effect/http/HttpEffect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as UrlParams from "effect/http/UrlParams"
import { BodyReader, type ReadProblem } from "./BodyReader.ts"

/** An application for any of Effect's HTTP servers. It never fails. */
export type Handler = Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope.Scope>

/** The interface for web `Request`s. */
export interface WebHandler {
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext.RequestContext) => Promise<Response>
  /** Waits for requests under way, then ends the services that were built. */
  readonly dispose: () => Promise<void>
}

/** A span contains the names of query parameters, but not their values. */
const everyName = [/^/]

/** Keeps callers' input out of spans, and makes no spans if no tracer collects them. */
export const layerRequests: Layer.Layer<never> = Layer.effectContext(
  Effect.map(Tracer.Tracer, (tracer) => {
    const redacted = Context.make(UrlParams.CurrentRedactedNames, everyName)
    // Effect makes spans even without a tracer that collects them, unless tracing is switched off.
    return tracer === Tracer.nativeTracer
      ? Context.add(redacted, References.TracerEnabled, false)
      : redacted
  }),
)

const isWebRequest = (source: object): source is Request => "body" in source && "bodyUsed" in source

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** How much of a body that is too large is read and discarded, as a multiple of the limit. */
const thrownAway = 16

/**
 * Reads the body of a web `Request`. Refuses a body that is too large at once, and reads on for a while. Servers on
 * Node close a connection with an unread body, and the client's next request fails with it.
 */
const readWeb: BodyReader = ({ source }, maxBytes) =>
  Effect.callback<Uint8Array, ReadProblem>((resume) => {
    if (!isWebRequest(source) || source.bodyUsed) return resume(Effect.fail("unreadable"))
    if (source.body === null) return resume(Effect.succeed(new Uint8Array()))
    const reader = source.body.getReader()
    const read = async (): Promise<void> => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      while (length <= maxBytes * thrownAway) {
        const { done, value } = await reader.read()
        if (done) return resume(Effect.succeed(joined(chunks, Math.min(length, maxBytes))))
        length += value.byteLength
        if (length <= maxBytes) chunks.push(value)
        else resume(Effect.fail("too large"))
      }
    }
    read()
      .catch(() => resume(Effect.fail("unreadable")))
      .finally(() => reader.releaseLock())
    // The pending read fails, and its result is ignored.
    return Effect.sync(() => reader.releaseLock())
  })

class Application extends Context.Service<Application, Handler>()(
  "@countersign/http/mount/WebHandler/Application",
) {}

/** Builds the services of `layer` and a fetch handler over them. */
export const webHandler = <R, E>(
  layer: Layer.Layer<R, E>,
  make: Effect.Effect<Handler, never, R | Scope.Scope>,
  memoMap: Layer.MemoMap | undefined,
): WebHandler => {
  const application = Layer.effect(Application, Effect.provideService(make, BodyReader, readWeb))
  const all: Layer.Layer<Application, E> = Layer.provideMerge(
    Layer.merge(application, layerRequests),
    layer,
  )
  const { dispose, handler } = HttpEffect.toWebHandlerLayerWith(all, {
    memoMap,
    toHandler: (context) => Effect.succeed(Context.get(context, Application)),
  })
  return {
    dispose,
    fetch: (request) => handler(request),
    handle: (request, context) => {
      RequestContext.attach(request, context)
      return handler(request)
    },
  }
}
