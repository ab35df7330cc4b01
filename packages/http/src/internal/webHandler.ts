import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { BodyReader } from "../BodyReader.ts"
import type { Handler, WebHandler } from "../Http.ts"
import * as RequestContext from "../RequestContext.ts"
import { layerRequests } from "./requests.ts"
import { readWeb } from "./webBody.ts"

class Application extends Context.Service<Application, Handler>()(
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
