import * as Http from "@countersign/http/Http"
import * as RequestContext from "@countersign/http/RequestContext"
import * as Node from "@countersign/node/Node"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import type { Mount } from "../types/countersign.ts"

/** The ways to mount an application. The end of the scope waits for requests under way. */
export const mounted = Effect.fnUntraced(function* (
  handler: Http.Handler,
  options: Pick<Http.DrainOptions, "graceMillis">,
): Effect.fn.Return<Omit<Mount, "dispose">, never, Scope.Scope> {
  const listener = yield* Node.makeListener(handler, options)
  const context = yield* Effect.provide(Effect.context<never>(), Http.layerRequests)
  const answer = HttpEffect.toWebHandlerWith<
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >(context)(yield* Http.drain(handler, options))
  const fetch = (request: Request): Promise<Response> => answer(request, Context.empty())
  return {
    fetch,
    handle: (request, context) => {
      RequestContext.attach(request, context)
      return fetch(request)
    },
    listener,
  }
})
