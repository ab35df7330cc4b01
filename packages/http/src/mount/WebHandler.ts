/** Applications, and their form for web `Request`s. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as RequestContext from "./RequestContext.ts"
import * as Context from "effect/Context"
import * as HttpEffect from "effect/http/HttpEffect"
import * as Layer from "effect/Layer"
import { BodyReader } from "./BodyReader.ts"
import { layerRequests } from "./internal/requests.ts"
import { readWeb } from "./internal/webBody.ts"

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

export class Application extends Context.Service<Application, Handler>()(
  "@countersign/http/internal/webHandler/Application",
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
