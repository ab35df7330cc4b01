/**
 * Serves the admin API below `/api` of a mount, and the pages of a dashboard beside it.
 *
 * The host decides who makes a request. The mount refuses requests of other sites and for other hosts, and asks
 * before everything but public files.
 */
import type { AdminSession } from "@countersign/core/domain/access/AdminSession"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { problemOf, roleNames } from "@countersign/core/domain/access/Roles"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import type * as Engine from "@countersign/core/Engine"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AdminOptions, Authorize, LoginSessions, Pages, Principal } from "./AdminOptions.ts"
import { below, rooted } from "../mount/BasePath.ts"
import { BodyReader } from "../mount/BodyReader.ts"
import * as ClientAddress from "../mount/ClientAddress.ts"
import * as AdmissionGate from "../mount/AdmissionGate.ts"
import type * as WebHandler from "../mount/WebHandler.ts"
import * as WebRequest from "../mount/WebRequest.ts"
import * as RequestContext from "../mount/RequestContext.ts"
import * as Api from "./internal/api.ts"
import { securityHeaders } from "./internal/headers.ts"
import * as Refusals from "./internal/errorResponses.ts"
import { logDefect } from "../mount/internal/defects.ts"
import { hostOf } from "../mount/internal/requestHost.ts"
import { webHandler } from "../mount/WebHandler.ts"

export type { AdminOptions, Principal }

/** The services of the engine that the admin API needs. */
export type Requirements = Engine.Engine

/** The options of a mount with Effect. */
export interface MountOptions extends AdminOptions {
  /**
   * Ends the event streams when it opens, and refuses further ones. A server that stops opens it first, because it
   * would wait for the streams.
   * @defaultValue opens at the end of the scope
   */
  readonly closing?: Latch.Latch | undefined
}

const defaultBasePath = "/admin"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

const readMethods = ["GET", "HEAD"] as const

const isRead = (method: string): boolean => readMethods.some((one) => one === method)

/** Express passes the mount without a slash on as if it had one, beside the target that the client has sent. */
const targetOf = ({ source, url }: HttpServerRequest, base: string): string => {
  const sent: unknown = Reflect.get(source, "originalUrl")
  return typeof sent === "string" && sent.split("?", 1)[0] === base ? sent : url
}

/**
 * Whether a page of another site may have caused the request. Browsers send `Sec-Fetch-Site`, and old ones `Origin`
 * with each write. A program sends neither, and no cookie.
 */
const isCrossSite = (request: HttpServerRequest): boolean => {
  const { cookie, origin, "sec-fetch-site": site } = request.headers
  if (site !== undefined) {
    return isRead(request.method)
      ? site === "cross-site" || site === "same-site"
      : site !== "same-origin"
  }
  if (isRead(request.method)) return false
  if (origin !== undefined) {
    const host = hostOf(request)
    return host === undefined || URL.parse(origin)?.host !== host
  }
  return cookie !== undefined
}

/** Maximum size of a form, such as the form of a login, in bytes. */
const maxBytes = 4_096

/** Whether a page has sent a form, such as the form of a login. */
const isForm = ({ headers, method }: HttpServerRequest): boolean =>
  method === "POST" &&
  (headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")

/** The form that a parser of the host has read. */
const parsedForm = (body: unknown): string => {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const entries = Object.entries(body ?? {}).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(entries).toString()
}

/** Reads the body of a form. A form that is too large or cannot be read is empty. */
const formBody = (request: HttpServerRequest, read: BodyReader): Effect.Effect<string> => {
  const { body } = RequestContext.of(request)
  if (body !== undefined) return Effect.succeed(parsedForm(body).slice(0, maxBytes))
  return Effect.match(read(request, maxBytes), {
    onFailure: () => "",
    onSuccess: (bytes) => new TextDecoder().decode(bytes),
  })
}

/** The location is relative, because a proxy may have changed the path that the client requested. */
const withSlash = (base: string, query: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 308,
    headers: { ...securityHeaders, location: `./${base.split("/").at(-1) ?? ""}/${query}` },
  })

/**
 * The principal as a host in JavaScript may give it: roles that the API does not know give no rights. Throws for one
 * that would see more than the host means.
 */
const checked = (given: Principal): Principal => {
  const principal = { ...given, roles: roleNames.filter((role) => given.roles.includes(role)) }
  const problem = "organization" in given ? "organizations: a list" : problemOf(principal)
  if (problem !== undefined) throw new TypeError(`authorize: ${problem}`)
  return principal
}

/** The answer if `authorize` has failed: its own errors are defects. */
const ofLogin = (error: unknown) =>
  error instanceof StoreUnavailable ? Effect.succeed(Refusals.ofError(error)) : Effect.die(error)

const loginSession = ({ id, login, person }: AdminSession) => ({ id, login, person })

/** The sessions as promises, for the host's `authorize`. They reject with `StoreUnavailable`. */
const makeLoginSessions = Effect.gen(function* () {
  const sessions = yield* AdminSessions
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  return {
    begin: (session) => run(sessions.begin(session)),
    find: (token) => run(Effect.map(sessions.find(token), (found) => found && loginSession(found))),
    end: (token) => run(sessions.end(token)),
  } satisfies LoginSessions
})

/** Answers with a file. `undefined`: the mount has no pages. */
const pageOf = (pages: Pages | undefined, path: string, acceptEncoding = "") => {
  if (pages === undefined) return Effect.succeed(Refusals.notFound)
  return Effect.map(
    Effect.promise(() => pages.file(path, acceptEncoding)),
    (file) => {
      if (file === undefined) return Refusals.notFound
      const { body, headers, status } = file
      const options = { status, headers: { ...headers, ...securityHeaders } }
      return typeof body === "string"
        ? HttpServerResponse.text(body, options)
        : HttpServerResponse.uint8Array(body, options)
    },
  )
}

/** The host's own `authorize`, or the `authorize` of `signIn`, which is loaded only then. */
const authorizeOf = Effect.fnUntraced(function* ({
  authorize,
  signIn,
}: AdminOptions): Effect.fn.Return<Authorize> {
  if (signIn === undefined) {
    if (typeof authorize === "function") return authorize
    return yield* Effect.die(new TypeError("authorize: a function is required, or `signIn`"))
  }
  if (authorize !== undefined)
    return yield* Effect.die(new TypeError("authorize: leave it out, because `signIn` decides"))
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const report = (error: unknown): void => {
    fork(Effect.logWarning("A sign-in with the provider failed", String(error)))
  }
  return yield* Effect.promise(async () =>
    (await import("./internal/openIdSignIn.ts")).makeAuthorize(signIn, report),
  )
})

/** Creates the application over the engine in the context. Dies without `authorize` or with invalid proxies. */
export const make = Effect.fnUntraced(function* (
  options: MountOptions,
): Effect.fn.Return<WebHandler.Handler, never, Requirements | Scope.Scope> {
  const { basePath = defaultBasePath, maxStreams = 100, pages } = options
  const authorize = yield* authorizeOf(options)
  const hosts =
    options.hosts === undefined
      ? undefined
      : new Set(options.hosts.map((host) => host.toLowerCase()))
  const closing = options.closing ?? (yield* Latch.make())
  yield* Effect.addFinalizer(() => closing.open)
  const addressOf = ClientAddress.resolver({ trustedProxies: options.trustedProxies })
  const sessions = yield* makeLoginSessions
  const call = yield* Api.make({ ...options, closing, maxStreams })
  const readBody = yield* BodyReader

  /** Answers a request of a principal, or with what `authorize` says. */
  const authorized = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    path: string,
    answer: (principal: Principal, clientAddress: string | undefined) => WebHandler.Handler,
    form?: string,
  ) {
    const clientAddress = addressOf(request) || undefined
    const decided = yield* Effect.tryPromise({
      try: async () =>
        authorize(WebRequest.make(request, form), request.source, {
          path,
          clientAddress,
          sessions,
        }),
      catch: (error) => error,
    })
    // A host without types may return `null`.
    if (!decided) return Refusals.unauthorized
    if (decided instanceof Response) return HttpServerResponse.fromWeb(decided)
    return yield* answer(checked(decided), clientAddress)
  }, Effect.catch(ofLogin))

  const answerApi = (request: HttpServerRequest, base: string, target: string) => {
    if (isCrossSite(request)) return Effect.succeed(Refusals.crossSite)
    const [path = ""] = target.split("?", 1)
    return authorized(request, `/api${path}`, (principal, clientAddress) =>
      call({ request, target, base, principal, clientAddress }),
    )
  }

  /** A form is for `authorize`, such as the form of a login: no page takes one. */
  const answerForm = (request: HttpServerRequest, path: string): WebHandler.Handler => {
    if (isCrossSite(request)) return Effect.succeed(Refusals.crossSite)
    const refuse = () => Effect.succeed(Refusals.methodNotAllowed(readMethods))
    return Effect.flatMap(formBody(request, readBody), (form) =>
      authorized(request, path, refuse, form),
    )
  }

  const answerPage = (request: HttpServerRequest, path: string): WebHandler.Handler => {
    if (isForm(request)) return answerForm(request, path)
    if (!isRead(request.method)) return Effect.succeed(Refusals.methodNotAllowed(readMethods))
    const page = pageOf(pages, path, request.headers["accept-encoding"])
    return pages?.isPublic(path) === true ? page : authorized(request, path, () => page)
  }

  const answer = (request: HttpServerRequest): WebHandler.Handler => {
    const given = RequestContext.of(request).basePath
    const base = rooted(given ?? basePath)
    const target = below(base, targetOf(request, base))
    if (target === undefined) return Effect.succeed(Refusals.notFound)
    if (!methods.has(request.method)) return Effect.succeed(Refusals.methodNotAllowed(methods))
    if (hosts !== undefined && !hosts.has(hostOf(request) ?? "")) {
      return Effect.succeed(Refusals.misdirected)
    }
    const [path = ""] = target.split("?", 1)
    if (path === "") return Effect.succeed(withSlash(base, target))
    if (path === "/api" || path.startsWith("/api/")) {
      return answerApi(request, base, target.slice("/api".length))
    }
    return answerPage(request, path)
  }

  return Effect.flatMap(HttpServerRequest, (request) =>
    Effect.catchDefect(
      Effect.suspend(() => answer(request)),
      (defect) => Effect.as(logDefect(request, defect), Refusals.internal),
    ),
  )
})

/** Adds everything below the base path to the host's `HttpRouter`. The end waits for requests under way. */
export const layerRoutes = (
  options: MountOptions & AdmissionGate.DrainOptions,
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements> =>
  HttpRouter.use((router) =>
    Effect.flatMap(makeDraining(options), (handler) =>
      // Also matches the base path itself.
      router.add("*", `${rooted(options.basePath ?? defaultBasePath)}/*`, handler),
    ),
  )

/** Creates the application for a server that ends with the scope, which waits for the requests under way. */
export const makeDraining = (
  options: MountOptions & AdmissionGate.DrainOptions,
): Effect.Effect<WebHandler.Handler, never, Requirements | Scope.Scope> =>
  Effect.flatMap(make(options), (handler) => AdmissionGate.drain(handler, options))

/** Builds the services of `layer` and a fetch handler over them, for web `Request`s. */
export const toWebHandler = <E>(
  layer: Layer.Layer<Requirements, E>,
  {
    memoMap,
    ...options
  }: MountOptions &
    AdmissionGate.DrainOptions & {
      readonly memoMap?: Layer.MemoMap | undefined
    },
): WebHandler.WebHandler => webHandler(layer, makeDraining(options), memoMap)
