/**
 * Serves the HTTP interface, on an `HttpRouter`, behind a fetch handler, or on a server of its own.
 */
import { type Handler, layerRequests, type WebHandler, webHandler } from "../mount/WebHandler.ts"
import { Proofs } from "@countersign/core/ports/Proofs"
import * as Call from "@countersign/core/engine/Call"
import type * as Drain from "@countersign/core/engine/Drain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { rooted } from "../mount/BasePath.ts"
import * as RequestContext from "../mount/RequestContext.ts"
import * as ClientAddress from "../mount/ClientAddress.ts"
import * as AdmissionGate from "../mount/AdmissionGate.ts"
import type { InterfaceOptions } from "../mount/MountOptions.ts"
import * as Answers from "./internal/responses.ts"
import * as Endpoints from "./internal/endpoints.ts"
import { logDefect } from "../mount/internal/defects.ts"
import type { Requirements as EndpointRequirements } from "./internal/endpoints.ts"
import type { Metrics } from "@countersign/core/services/Metrics"
import type { Readiness } from "@countersign/core/engine/Readiness"
import { type Route, routes } from "@countersign/core/engine/MetricTable"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import { observed } from "../mount/internal/observed.ts"
import * as Probes from "../mount/Probes.ts"
import type { BodyEndpoint } from "./internal/guards.ts"
import { isPlainJson } from "../mount/internal/jsonBody.ts"

export { layerRequests }

/** The services that the interface requires. */
export type Requirements = EndpointRequirements | Metrics | Readiness

export interface Options extends InterfaceOptions {
  /** Returns the address of the client, if the host has a better one than the socket's. */
  readonly clientAddress?: ((request: HttpServerRequest) => string | undefined) | undefined
}

export interface DrainingOptions extends Options, AdmissionGate.DrainOptions {}

type Answer = (request: HttpServerRequest, basePath: string) => Handler

const basePathOf = ({ basePath = "/api/v2" }: Options) => rooted(basePath)

/** Whether a request is one of a balancer or of Prometheus, by its path below the base path. */
export const isProbe = (
  options: Options,
  url: string,
  { basePath = basePathOf(options) }: RequestContext.RequestContext = {},
): boolean => Probes.probePaths.has(pathBelow(basePath, url))

const countOther = observed("other")

/** Returns the route by which the metrics count a method of a path. */
const routeOf = (method: string, path: string): Route =>
  routes.find((route) => route === `${method} ${path}`) ?? "other"

/** Dispatches the methods of one path, and counts their answers. */
const resource = (path: string, answers: Readonly<Record<string, Answer>>): Answer => {
  const methods = new Map(
    Object.entries(answers).map(([method, answer]) => {
      const count = observed(routeOf(method, path))
      const counted: Answer = (request, basePath) => count(answer(request, basePath))
      return [method, counted]
    }),
  )
  const get = methods.get("GET")
  if (get !== undefined) methods.set("HEAD", get)
  const allow = [...methods.keys(), "OPTIONS"].join(", ")
  methods.set("OPTIONS", () => countOther(Effect.succeed(Answers.allowed(allow))))
  const refused = countOther(Effect.succeed(Answers.methodNotAllowed(allow)))
  return (request, basePath) => methods.get(request.method)?.(request, basePath) ?? refused
}

/** The route of a balancer or of Prometheus, which the metrics do not count. */
const probe = ([path, answer]: Probes.Probe): readonly [string, Answer] => {
  const refused = Effect.succeed(Answers.methodNotAllowed("GET, HEAD"))
  return [path, (request) => (/^(?:GET|HEAD)$/.test(request.method) ? answer(request) : refused)]
}

/** Loads the schemas of the description on the first request for it, because few processes need them. */
const document =
  (name: "openApi" | "page"): Answer =>
  (_, basePath) =>
    Effect.flatMap(
      Effect.promise(() => import("./internal/documentation.ts")),
      (documents) => documents[name](basePath),
    )

const documentation = [
  ["/openapi.json", resource("/openapi.json", { GET: document("openApi") })],
  ["/docs", resource("/docs", { GET: document("page") })],
] as const

/** The public keys, with which services verify proofs without a key of the organization. */
const publicKeysOf = (proofs: Proofs | undefined): ReadonlyArray<readonly [string, Answer]> => {
  if (proofs === undefined) return []
  const keys = Effect.succeed(Answers.json(200, proofs.jwks))
  return [["/jwks.json", resource("/jwks.json", { GET: () => keys })]]
}

/** A path with an id. */
const pattern = (path: string, answers: Readonly<Record<string, Answer>>) =>
  [new RegExp(`^${path.replace("{id}", "[^/]+")}$`), resource(path, answers)] as const

const notFound = countOther(Effect.succeed(Answers.notFound))

/** Returns the path below the base path; `undefined` if the target is not below it. */
const pathBelow = (basePath: string, target: string): string | undefined => {
  if (!target.startsWith(basePath)) return undefined
  const mark = target.indexOf("?")
  return target.slice(basePath.length, mark < 0 ? target.length : mark)
}

/** A call of the fast path. */
export interface FastCall {
  /** The path below the base path. */
  readonly route: string
  /** The visit to provide while `answer` runs. */
  readonly visit: Drain.Visit
  /** The response to the request with this body. */
  readonly answer: (body: Uint8Array) => Effect.Effect<HttpServerResponse>
  /** Ends the call. The mount calls it once, also if the body never arrives. */
  readonly end: () => void
}

/**
 * Admits a request that the mount may answer itself after it has read the body. Such a request is on a hot route,
 * with a key that has authenticated on this node, and with JSON of a declared size. `undefined` leaves the request to
 * the handler.
 */
export type FastPath = (request: HttpServerRequest) => FastCall | undefined

/** An application, and its fast path if it has one. */
export interface Application {
  readonly handler: Handler
  readonly fastPath?: FastPath | undefined
}

/** Logs a defect of a request, and answers 500. */
const afterDefect = (request: HttpServerRequest, defect: unknown) =>
  Effect.as(logDefect(request, defect), Answers.internalError)

/** The same without a fiber. Counts the answer. */
const withoutDefects = (
  request: HttpServerRequest,
  { endpoint, record }: HotEndpoint,
  body: Uint8Array,
): Effect.Effect<HttpServerResponse> =>
  Call.direct((context, done) => {
    const start = Telemetry.monotonicNanos(context)
    const answered: Call.Done<HttpServerResponse> = (exit) => {
      if (Exit.isSuccess(exit)) record(exit.value.status, start, context)
      done(exit)
    }
    return Call.begin(endpoint.answerTo(request, body), context, (exit) => {
      const defect = Exit.findDefect(exit)
      if (Result.isFailure(defect)) answered(exit)
      else Call.begin(afterDefect(request, defect.success), context, answered)
    })
  })

interface HotEndpoint {
  readonly endpoint: BodyEndpoint
  readonly record: ReturnType<typeof Telemetry.requestRecorder>
}

const fastPathTo =
  (
    hot: ReadonlyMap<string | undefined, HotEndpoint>,
    gate: AdmissionGate.AdmissionGate,
    basePath: string,
    maxBodyBytes: number,
  ): FastPath =>
  (request) => {
    const base = RequestContext.of(request).basePath ?? basePath
    const route = pathBelow(base, request.url)
    const found = hot.get(route)
    const { authorization } = request.headers
    if (
      route === undefined ||
      found === undefined ||
      request.method !== "POST" ||
      !gate.knows(authorization) ||
      !isPlainJson(request, maxBodyBytes) ||
      !gate.admit(request, authorization)
    ) {
      return undefined
    }
    return {
      ...AdmissionGate.visitTo(gate, request),
      route,
      answer: (body) => withoutDefects(request, found, body),
    }
  }

const application = Effect.fnUntraced(function* (
  options: Options,
  gate: AdmissionGate.AdmissionGate | undefined,
): Effect.fn.Return<Application, never, Requirements> {
  const basePath = basePathOf(options)
  const { maxBodyBytes = 65_536 } = options
  const endpoints = yield* Endpoints.make({
    allowListScope: options.allowListScope ?? "all",
    maxBodyBytes,
    addressOf: ClientAddress.resolver(options),
    gate,
  })
  const resources = new Map<string, Answer>([
    ...(yield* Probes.make(options.metrics)).map(probe),
    ...[
      ["/messages", { GET: endpoints.list, POST: endpoints.send.answer }] as const,
      ["/balance", { GET: endpoints.balance }] as const,
      ["/verify", { POST: endpoints.verify.answer }] as const,
      ["/verify/check", { POST: endpoints.check.answer }] as const,
    ].map(([path, answers]) => [path, resource(path, answers)] as const),
    ...(options.documentation === false ? [] : documentation),
    ...publicKeysOf(yield* Proofs),
  ])
  const patterns = [
    pattern("/messages/{id}", { GET: endpoints.get }),
    pattern("/verify/{id}", { GET: endpoints.status }),
    pattern("/verify/{id}/resend", { POST: endpoints.resend.answer }),
    pattern("/verify/{id}/cancel", { POST: endpoints.cancel }),
    pattern("/verify/{id}/consume", { POST: endpoints.consume.answer }),
  ]
  const answerTo = (path: string | undefined): Answer | undefined =>
    path === undefined
      ? undefined
      : (resources.get(path) ?? patterns.find(([shape]) => shape.test(path))?.[1])
  const handler: Handler = Effect.flatMap(HttpServerRequest, (request) => {
    const base = RequestContext.of(request).basePath ?? basePath
    return Effect.catchDefect(
      answerTo(pathBelow(base, request.url))?.(request, base) ?? notFound,
      (defect) => afterDefect(request, defect),
    )
  })
  const hot = new Map(
    [
      ["/messages", endpoints.send] as const,
      ["/verify", endpoints.verify] as const,
      ["/verify/check", endpoints.check] as const,
    ].map(([path, endpoint]) => {
      const record = Telemetry.requestRecorder(routeOf("POST", path))
      return [path, { endpoint, record }]
    }),
  )
  const fastPath: FastPath =
    gate === undefined ? () => undefined : fastPathTo(hot, gate, basePath, maxBodyBytes)
  return { handler, fastPath }
})

/** Creates the application over the engine in the context. Dies if the options are invalid. */
export const make = (options: Options = {}): Effect.Effect<Handler, never, Requirements> =>
  Effect.map(application(options, undefined), ({ handler }) => handler)

/**
 * Creates the application for a server that ends with the scope. At the end, the scope waits for the requests
 * under way, for a bounded time. Neither a client that disconnects nor the end of the server interrupts a
 * request.
 */
export const makeDraining = (
  options: DrainingOptions = {},
): Effect.Effect<Handler, never, Requirements | Scope.Scope> =>
  Effect.map(makeApplication(options), ({ handler }) => handler)

/** As `makeDraining`, with the fast path, which uses the same gate. */
export const makeApplication = Effect.fnUntraced(function* (
  options: DrainingOptions = {},
): Effect.fn.Return<Application, never, Requirements | Scope.Scope> {
  const gate = options.gate ?? AdmissionGate.makeAdmissionGate(options)
  const { fastPath, handler } = yield* application(options, gate)
  const isExempt = (request: HttpServerRequest) =>
    isProbe(options, request.url, RequestContext.of(request))
  return { handler: yield* AdmissionGate.drain(handler, { ...options, gate, isExempt }), fastPath }
})

/** Adds everything below the base path to the host's `HttpRouter`. The end waits for requests under way. */
export const layerRoutes = (
  options: DrainingOptions = {},
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements> =>
  HttpRouter.use((router) =>
    Effect.flatMap(makeDraining(options), (handler) =>
      router.add("*", `${basePathOf(options)}/*`, handler),
    ),
  )

export interface WebOptions extends Omit<DrainingOptions, "clientAddress"> {
  /**
   * Returns the address of the client, which a web `Request` does not contain. The source is a header that the
   * platform sets, or the server's data about the request. Without it, an organization's allow list admits no
   * address.
   */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined
  /** Shares services with other users of the same layers, such as a `ManagedRuntime`. */
  readonly memoMap?: Layer.MemoMap | undefined
}

/**
 * Builds the services of `layer` and a fetch handler over them, for every runtime with web `Request`s: Workers,
 * Deno, Bun, and frameworks on Node.
 *
 * The services are built immediately; earlier requests wait for them. `dispose` waits for requests under way.
 */
export const toWebHandler = <E>(
  layer: Layer.Layer<Requirements, E>,
  { clientAddress, memoMap, ...options }: WebOptions = {},
): WebHandler =>
  webHandler(
    layer,
    makeDraining({
      ...options,
      clientAddress: ({ source }) =>
        source instanceof Request ? clientAddress?.(source) : undefined,
    }),
    memoMap,
  )
