/**
 * The ways to mount an application that is not the HTTP interface: web `Request`s and a listener of Node.
 */
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as AdmissionGate from "@countersign/http/mount/AdmissionGate"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import * as Node from "./Node.ts"

/** An application that a host mounts. */
export interface Mount {
  /** For web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext.RequestContext) => Promise<Response>
  /** A listener of `node:http`. */
  readonly listener: Node.Listener
}

/** Creates the ways to mount an application. The end of the scope waits for requests under way. */
export const make = Effect.fnUntraced(function* (
  handler: WebHandler.Handler,
  options: Pick<AdmissionGate.DrainOptions, "refusal" | "route" | "shutdownTimeout"> = {},
): Effect.fn.Return<Mount, never, Scope.Scope> {
  const listener = yield* Node.makeListener(handler, options)
  const context = yield* Effect.provide(Effect.context<never>(), Http.layerRequests)
  const answer = HttpEffect.toWebHandlerWith<
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >(context)(yield* AdmissionGate.drain(handler, options))
  const fetch = (request: Request): Promise<Response> => answer(request, Context.empty())
  return {
    fetch,
    handle: (request, facts) => {
      RequestContext.attach(request, facts)
      return fetch(request)
    },
    listener,
  }
})
