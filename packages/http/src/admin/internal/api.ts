/** The admin API as an application. It expects a principal and the path below `/api`. */
import { masksNumbers } from "@countersign/core/domain/access/Roles"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import type { Principal } from "../AdminOptions.ts"
import { BodyReader } from "../../mount/BodyReader.ts"
import type { Handler } from "../../mount/WebHandler.ts"
import { jsonReader, malformed, orNothing } from "../../mount/internal/jsonBody.ts"
import { layerAuthorization, layerOrganizationAccess } from "./authorization.ts"
import * as EventHandlers from "./eventHandlers.ts"
import { apiHeaders } from "./headers.ts"
import * as Handlers from "./handlers.ts"
import type { HostOptions } from "./sessions.ts"
import { maskedAnswer } from "./maskedAnswers.ts"
import { rows } from "./rows.ts"
import * as Refusals from "./errorResponses.ts"

/** Maximum size of a body in bytes, of an operation that has no maximum of its own. */
const maxBodyBytes = 65_536

export type Options = EventHandlers.StreamOptions & HostOptions

const layerApi = (options: Options) =>
  HttpApiBuilder.layer(AdminApi).pipe(
    Layer.provide([Handlers.layer(options), EventHandlers.layer(options)]),
    Layer.provide([layerAuthorization, layerOrganizationAccess]),
    Layer.provide(HttpServer.layerServices),
  )

/** Maximum depth of a body. The stack could end at a deeper one. */
const maxDepth = 64

/** The loss if a body is written as JSON again, as a sentence; `undefined` without a loss. */
const lossOf = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return "The body has a number that is too large"
  }
  if (typeof value !== "object" || value === null) return undefined
  if (depth === maxDepth) return `The body has more than ${maxDepth} levels`
  for (const member of Object.values(value)) {
    const loss = lossOf(member, depth + 1)
    if (loss !== undefined) return loss
  }
  return undefined
}

/** The methods of each path of the API. */
const methodsByPath = new Map<string, ReadonlyArray<string>>()
for (const { endpoints } of Object.values(AdminApi.groups)) {
  for (const { method, path } of Object.values(endpoints)) {
    const own = method === "GET" ? ["GET", "HEAD"] : [method]
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...own])
  }
}

/** The maximum sizes of bodies, by the paths of the operations that have one of their own. */
const maxBytesByPath = new Map<string, number>(
  [...rows.values()].flatMap(({ admin }) =>
    admin?.maxBodyBytes === undefined ? [] : [[admin.path, admin.maxBodyBytes] as const],
  ),
)

const resources = [...methodsByPath].map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/;]+")}$`),
  methods,
  maxBytes: maxBytesByPath.get(path) ?? maxBodyBytes,
}))

/**
 * The resource that a target names; `undefined` if it is no path of the API. A URL must not change the path: it
 * removes `..` after an id, which then names something else.
 */
const resourceOf = (target: string, { pathname }: URL) => {
  const [path] = target.split("?", 1)
  if (path !== pathname) return undefined
  return resources.find(({ pattern }) => pattern.test(pathname))
}

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
  /** `undefined`: the mount does not know it. */
  readonly clientAddress: string | undefined
}

/** Creates the function that answers calls of the API. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const router = yield* HttpRouter.toHttpEffect(layerApi(options))
  const reader = yield* BodyReader

  /** The request as the router needs it, with the body read in the way of the mount. */
  const innerOf = Effect.fnUntraced(function* ({ request }: Call, url: URL, maxBytes: number) {
    const { headers, method } = request
    const last = headers["last-event-id"]
    const inner = new Headers(last === undefined ? {} : { "last-event-id": last })
    if (!isWrite(method) || method === "DELETE") {
      return HttpServerRequest.fromWeb(new Request(url, { method, headers: inner }))
    }
    inner.set("content-type", "application/json")
    const value = yield* orNothing(jsonReader(reader, maxBytes))(request)
    const problem = lossOf(value)
    if (problem !== undefined) return yield* Effect.fail(malformed(problem))
    const body = JSON.stringify(value)
    return HttpServerRequest.fromWeb(new Request(url, { method, headers: inner, body }))
  })

  return (call: Call): Handler => {
    const [path] = call.target.split("?", 1)
    if (path === "/openapi.json" && !isWrite(call.request.method)) {
      return describe(call.base)
    }
    const url = new URL(`http://localhost${call.target}`)
    const resource = resourceOf(call.target, url)
    if (resource === undefined) return Effect.succeed(Refusals.notFound)
    const { maxBytes, methods } = resource
    if (!methods.includes(call.request.method)) {
      return Effect.succeed(Refusals.methodNotAllowed(methods))
    }
    return Effect.matchEffect(innerOf(call, url, maxBytes), {
      onFailure: (problem) => Effect.succeed(Refusals.ofBody(problem)),
      onSuccess: (inner) =>
        router.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, inner),
          Effect.provideService(CurrentPrincipal, call.principal),
          Effect.provideService(CurrentAddress, call.clientAddress),
          Effect.catch(() => Effect.succeed(Refusals.notFound)),
          Effect.map((answer) => (masksNumbers(call.principal) ? maskedAnswer(answer) : answer)),
          Effect.map(HttpServerResponse.setHeaders(apiHeaders)),
        ),
    })
  }
})
