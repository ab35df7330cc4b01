import type { Reports } from "@countersign/core/services/Reports"
import * as GatewayCallbacks from "@countersign/gateways/Callbacks"
import { rooted } from "@countersign/http/mount/BasePath"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as Mount from "@countersign/node/Mount"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Callbacks } from "../types/countersign.ts"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import type { CallbackOptions, CountersignOptions } from "../types/options.ts"

const notFound = Effect.succeed(HttpServerResponse.empty({ status: 404 }))

const lost =
  "A report is lost: its body was read before it came to the callbacks. Mount them before the parser of bodies"

const isRead = (source: object): boolean => {
  if ("readableDidRead" in source) return source.readableDidRead === true
  return source instanceof Request && source.bodyUsed
}

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  return body instanceof Uint8Array ? Uint8Array.from(body) : undefined
}

/** Returns the request with the body that the host has kept; `undefined` if its bytes are lost. */
const withBody = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
): HttpServerRequest.HttpServerRequest | undefined => {
  const { body } = RequestContext.of(request)
  if (request.method === "GET" || request.method === "HEAD") return request
  const bytes = bytesOf(body)
  if (bytes === undefined) {
    return body === undefined && !isRead(request.source) ? request : undefined
  }
  const { headers, method, url } = request
  return HttpServerRequest.fromWeb(
    new Request(new URL(url, publicUrl), { method, headers: { ...headers }, body: bytes }),
  )
}

const application = Effect.fnUntraced(function* (
  options: CallbackOptions,
): Effect.fn.Return<WebHandler.Handler, never, GatewayRegistry | Reports> {
  const { adapters } = yield* GatewayRegistry
  const { basePath, publicUrl, ...bounds } = options
  const handler = yield* GatewayCallbacks.make({ ...bounds, publicUrl, adapters })
  const known = `${rooted(new URL(publicUrl).pathname)}/callbacks`
  const own = basePath === undefined ? known : rooted(basePath)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): WebHandler.Handler => {
    const base = RequestContext.of(request).basePath
    const from = base === undefined ? own : rooted(base)
    if (!request.url.startsWith(`${from}/`)) return notFound
    const url = known + request.url.slice(from.length)
    const ready = withBody(request, publicUrl)
    if (ready === undefined) {
      return Effect.as(Effect.logError(lost), HttpServerResponse.text(lost, { status: 500 }))
    }
    return Effect.provideService(
      handler,
      HttpServerRequest.HttpServerRequest,
      ready.modify({ url }),
    )
  })
})

/** Creates the handlers. The end of the scope waits for reports under way. */
export const make = Effect.fnUntraced(function* ({
  callbacks,
  shutdownTimeout,
}: Pick<CountersignOptions, "callbacks" | "shutdownTimeout">): Effect.fn.Return<
  Omit<Callbacks, "dispose">,
  never,
  GatewayRegistry | Reports | Scope.Scope
> {
  const handler = callbacks === undefined ? notFound : yield* application(callbacks)
  const { adapters } = yield* GatewayRegistry
  return {
    ...(yield* Mount.make(handler, { shutdownTimeout, route: "callbacks" })),
    urls: Object.fromEntries(
      (callbacks === undefined ? [] : adapters).map(({ gateway: { name } }) => [
        name,
        GatewayCallbacks.urlOf(callbacks?.publicUrl ?? "", name),
      ]),
    ),
  }
})
