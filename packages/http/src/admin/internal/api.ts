/**
 * The admin API as an application. It expects a principal and the path below `/api`, and decides who may call which
 * endpoint, and for which organization.
 */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import {
  CurrentAddress,
  CurrentPrincipal,
  Authorization,
  CurrentOrganization,
  EndpointAccess,
  OrganizationAccess,
} from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import type { Principal } from "../AdminOptions.ts"
import { BodyReader } from "../../mount/BodyReader.ts"
import type { Handler } from "../../mount/WebHandler.ts"
import { jsonReader, malformed, orNothing } from "../../mount/internal/jsonBody.ts"
import * as EventHandlers from "./eventHandlers.ts"
import { apiHeaders } from "./headers.ts"
import * as Handlers from "./handlers.ts"
import * as Refusals from "./errorResponses.ts"
import type { Access } from "@countersign/core/api/Operation"
import { Actor } from "@countersign/core/domain/values/Actor"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Context from "effect/Context"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as Option from "effect/Option"

const hasRole = (principal: Principal, { role }: Access): boolean =>
  // Each role includes `read`, and `admin` includes all.
  role === "read"
    ? principal.roles.length > 0
    : principal.roles.includes(role) || principal.roles.includes("admin")

/** A tenant has no access to another organization, and learns nothing about it. */
const isHidden = ({ organization }: Principal, asked: string | undefined): boolean =>
  organization !== undefined && asked !== undefined && asked !== organization

const layerAuthorization = Layer.succeed(
  Authorization,
  Authorization.of(
    Effect.fnUntraced(function* (answer, { endpoint }) {
      const principal = yield* CurrentPrincipal
      const { organization } = (yield* HttpRouter.RouteContext).params
      const needed = Option.getOrUndefined(Context.getOption(endpoint.annotations, EndpointAccess))
      if (needed === undefined) return Refusals.forbidden
      if (isHidden(principal, organization)) return Refusals.organizationNotFound
      const isTenant = principal.organization !== undefined
      if (!hasRole(principal, needed) || (needed.isOperatorOnly === true && isTenant)) {
        return Refusals.forbidden
      }
      const { id, origin = null } = principal.actor
      return yield* answer.pipe(
        Effect.catch((error) =>
          HttpApiSchemaError.is(error) ? Refusals.ofSchema(error) : Effect.fail(error),
        ),
        Effect.provideService(Actor, { id, origin }),
      )
    }),
  ),
)

/** An id that no organization can have is answered like an unknown one. */
const idOf = (text: string) =>
  Effect.try({ try: () => OrganizationId(text), catch: () => new OrganizationNotFound() })

const layerOrganizationAccess = Layer.effect(
  OrganizationAccess,
  Effect.gen(function* () {
    const organizations = yield* Organizations
    return OrganizationAccess.of((answer) =>
      Effect.flatMap(HttpRouter.RouteContext, ({ params: { organization = "" } }) =>
        Effect.matchEffect(
          Effect.flatMap(idOf(organization), (id) => organizations.get({ id })),
          {
            onFailure: (error) => Effect.succeed(Refusals.ofError(error)),
            onSuccess: ({ id }) => Effect.provideService(answer, CurrentOrganization, id),
          },
        ),
      ),
    )
  }),
)

/** Maximum size of a body in bytes. */
const maxBodyBytes = 65_536

export type Options = EventHandlers.StreamOptions & Handlers.HostOptions

const layerApi = (options: Options) =>
  HttpApiBuilder.layer(AdminApi).pipe(
    Layer.provide([Handlers.layer(options), EventHandlers.layer(options)]),
    Layer.provide([layerAuthorization, layerOrganizationAccess]),
    Layer.provide(HttpServer.layerServices),
  )

/** Maximum depth of a body. The stack could end at a deeper one. */
const maxDepth = 64

/** What a body would lose when it is written as JSON again; `undefined`: nothing. */
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

const resources = [...methodsByPath].map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/;]+")}$`),
  methods,
}))

/**
 * The methods of a target; `undefined` if it is no path of the API. A URL must not change the path: it removes `..`
 * after an id, which then names something else.
 */
const methodsOf = (target: string, { pathname }: URL): ReadonlyArray<string> | undefined => {
  const [path] = target.split("?", 1)
  if (path !== pathname) return undefined
  return resources.find(({ pattern }) => pattern.test(pathname))?.methods
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
  const readBody = orNothing(jsonReader(yield* BodyReader, maxBodyBytes))

  /** The request as the router needs it, with the body read in the way of the mount. */
  const innerOf = Effect.fnUntraced(function* ({ request }: Call, url: URL) {
    const { headers, method } = request
    const last = headers["last-event-id"]
    const inner = new Headers(last === undefined ? {} : { "last-event-id": last })
    if (!isWrite(method) || method === "DELETE") {
      return HttpServerRequest.fromWeb(new Request(url, { method, headers: inner }))
    }
    inner.set("content-type", "application/json")
    const value = yield* readBody(request)
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
    const methods = methodsOf(call.target, url)
    if (methods === undefined) return Effect.succeed(Refusals.notFound)
    if (!methods.includes(call.request.method)) {
      return Effect.succeed(Refusals.methodNotAllowed(methods))
    }
    return Effect.matchEffect(innerOf(call, url), {
      onFailure: (problem) => Effect.succeed(Refusals.ofBody(problem)),
      onSuccess: (inner) =>
        router.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, inner),
          Effect.provideService(CurrentPrincipal, call.principal),
          Effect.provideService(CurrentAddress, call.clientAddress),
          Effect.catch(() => Effect.succeed(Refusals.notFound)),
          Effect.map(HttpServerResponse.setHeaders(apiHeaders)),
        ),
    })
  }
})
