/** The admin API as an application. It expects a principal and the path below `/api`. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { CurrentPrincipal } from "../../AdminAccess.ts"
import { AdminApi } from "../../AdminApi.ts"
import type { Principal } from "../../AdminOptions.ts"
import { BodyReader } from "../../BodyReader.ts"
import type { Handler } from "../../Http.ts"
import { jsonReader, orNothing } from "../jsonBody.ts"
import { layerAuthorization, layerOrganizationAccess } from "./authorization.ts"
import * as EventHandlers from "./eventHandlers.ts"
import { apiHeaders } from "./headers.ts"
import * as HostHandlers from "./hostHandlers.ts"
import * as OrganizationHandlers from "./organizationHandlers.ts"
import * as RecordHandlers from "./recordHandlers.ts"
import * as Refusals from "./refusals.ts"

/** Maximum size of a body in bytes. */
const maxBodyBytes = 65_536

export type Options = EventHandlers.StreamOptions & HostHandlers.HostOptions

const layerApi = (options: Options) =>
  HttpApiBuilder.layer(AdminApi).pipe(
    Layer.provide([
      HostHandlers.layer(options),
      OrganizationHandlers.layer,
      RecordHandlers.layer,
      EventHandlers.layer(options),
    ]),
    Layer.provide([layerAuthorization, layerOrganizationAccess]),
    Layer.provide(HttpServer.layerServices),
  )

const isWrite = (method: string): boolean => method !== "GET" && method !== "HEAD"

/** The description, made at the first request for it. */
const description = Effect.runSync(Effect.cached(Effect.sync(() => OpenApi.fromApi(AdminApi))))

const describe = (base: string): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(description, (document) =>
    HttpServerResponse.jsonUnsafe(
      { ...document, servers: [{ url: `${base}/api` }] },
      { headers: apiHeaders },
    ),
  )

export interface Call {
  readonly request: HttpServerRequest.HttpServerRequest
  /** The path below `/api`, with the query. */
  readonly target: string
  readonly base: string
  readonly principal: Principal
}

/** Creates the function that answers calls of the API. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const router = yield* HttpRouter.toHttpEffect(layerApi(options))
  const readBody = orNothing(jsonReader(yield* BodyReader, maxBodyBytes))

  /** The request as the router needs it, with the body read in the way of the mount. */
  const innerOf = Effect.fnUntraced(function* ({ request, target }: Call) {
    const { headers, method } = request
    const last = headers["last-event-id"]
    const inner = new Headers(last === undefined ? {} : { "last-event-id": last })
    const url = new URL(`http://localhost${target}`)
    if (!isWrite(method) || method === "DELETE") {
      return HttpServerRequest.fromWeb(new Request(url, { method, headers: inner }))
    }
    inner.set("content-type", "application/json")
    const body = JSON.stringify(yield* readBody(request))
    return HttpServerRequest.fromWeb(new Request(url, { method, headers: inner, body }))
  })

  return (call: Call): Handler => {
    if (call.target === "/openapi.json" && !isWrite(call.request.method)) {
      return describe(call.base)
    }
    return Effect.matchEffect(innerOf(call), {
      onFailure: (problem) => Effect.succeed(Refusals.ofBody(problem)),
      onSuccess: (inner) =>
        router.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, inner),
          Effect.provideService(CurrentPrincipal, call.principal),
          Effect.catch(() => Effect.succeed(Refusals.notFound)),
          Effect.map(HttpServerResponse.setHeaders(apiHeaders)),
        ),
    })
  }
})
