/**
 * Answers the requests of the interface, wherever it is mounted: on an
 * `HttpRouter`, behind a fetch handler, or on a server of its own.
 */
import type { Access } from "@countersign/core/services/Access"
import type { Accounts } from "@countersign/core/services/Accounts"
import * as Drain from "@countersign/core/services/Drain"
import type { Messages } from "@countersign/core/services/Messages"
import type { Verifications } from "@countersign/core/services/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as RequestContext from "./RequestContext.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { BodyReader } from "./BodyReader.ts"
import { AdmissionGate } from "./AdmissionGate.ts"
import {
  allowed,
  overloaded,
  internalError,
  methodNotAllowed,
  notFound,
} from "./internal/answers.ts"
import { describeDefect } from "./internal/defects.ts"
import * as Endpoints from "./internal/endpoints.ts"
import { layerRequests } from "./internal/requests.ts"
import { readWeb } from "./internal/webBody.ts"

export { layerRequests }

/** The services that the interface stands on. */
export type Requirements = Access | Accounts | Messages | Verifications

export interface Options {
  /** What stands before every path; `/api/v2` when left out. */
  readonly basePath?: string | undefined
  /** Lets the allow list of addresses guard every endpoint, not only `POST /messages`. */
  readonly guardAllEndpoints?: boolean | undefined
  /**
   * Addresses and CIDR blocks of the host's own proxies. Only they are believed
   * when they say, in `X-Forwarded-For`, whom a request comes from.
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The address that a request comes from, where the host knows better than the socket. */
  readonly clientAddress?: ((request: HttpServerRequest) => string | undefined) | undefined
  /** Largest body that is read; 65,536 when left out. */
  readonly maxBodyBytes?: number | undefined
  /** Whether `/openapi.json` and `/docs` are answered; they are when left out. */
  readonly documentation?: boolean | undefined
}

export interface DrainingOptions extends Options, DrainOptions {}

/** How an application ends. */
export interface DrainOptions {
  /** How many requests may be under way before others are answered 503; 4,096 when left out. */
  readonly maxRequests?: number | undefined
  /**
   * How many of them with one key. Requests without a key, and with keys that have not authenticated on this
   * node, share one bound of the same size.
   *
   * @defaultValue 1,024
   */
  readonly maxRequestsPerKey?: number | undefined
  /** The gate itself, for a mount that also looks at it before it hands a request over. */
  readonly gate?: AdmissionGate | undefined
  /** How long the end waits for requests that are under way, in milliseconds; 20,000 when left out. */
  readonly graceMillis?: number | undefined
}

/** An application for any of Effect's HTTP servers. It never fails. */
export type Handler = Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope.Scope>

type Answer = (request: HttpServerRequest, basePath: string) => Handler

/** Where the interface is when the host does not say otherwise. */
export const defaultBasePath = "/api/v2"

type BasePath = "" | `/${string}`

const basePathOf = ({ basePath = defaultBasePath }: Options): BasePath => {
  const path = basePath.replace(/^\/+|\/+$/g, "")
  return path === "" ? "" : `/${path}`
}

const socketAddress = (request: HttpServerRequest): string | undefined =>
  Option.getOrUndefined(request.remoteAddress)

const addressOf = (options: Options): ((request: HttpServerRequest) => string) => {
  const peerOf = options.clientAddress ?? socketAddress
  const trusted = ClientAddress.trustedProxies(options.trustedProxies ?? [])
  return (request) =>
    ClientAddress.resolve(
      trusted,
      RequestContext.of(request).clientAddress ?? peerOf(request),
      request.headers["x-forwarded-for"],
    )
}

/** Everything under one path. */
const resource = (answers: Readonly<Record<string, Answer>>): Answer => {
  const methods = new Map(Object.entries(answers))
  const get = methods.get("GET")
  if (get !== undefined) methods.set("HEAD", get)
  const allow = [...methods.keys(), "OPTIONS"].join(", ")
  methods.set("OPTIONS", () => Effect.succeed(allowed(allow)))
  const refused = Effect.succeed(methodNotAllowed(allow))
  return (request, basePath) => methods.get(request.method)?.(request, basePath) ?? refused
}

/** Every process would load the schemas of the description; few are asked for it. */
const document =
  (name: "openApi" | "page"): Answer =>
  (_, basePath) =>
    Effect.flatMap(
      Effect.promise(() => import("./internal/documentation.ts")),
      (documents) => documents[name](basePath),
    )

const documentation = [
  ["/openapi.json", resource({ GET: document("openApi") })],
  ["/docs", resource({ GET: document("page") })],
] as const

const unknownPath = Effect.succeed(notFound)

/** The path below the base path; `undefined` for one that is not below it. */
const pathBelow = (basePath: string, target: string): string | undefined => {
  if (!target.startsWith(basePath)) return undefined
  const mark = target.indexOf("?")
  return target.slice(basePath.length, mark < 0 ? target.length : mark)
}

const isEntry = (path: string | undefined): boolean =>
  path !== undefined && /^\/messages\/[^/]+$/.test(path)

const onDefect = (request: HttpServerRequest, defect: unknown): Effect.Effect<HttpServerResponse> =>
  Effect.as(
    Effect.logError("A request ended in a defect", {
      method: request.method,
      ...describeDefect(defect),
    }),
    internalError,
  )

const application: (
  options: Options,
  gate: AdmissionGate | undefined,
) => Effect.Effect<Handler, never, Requirements> = Effect.fnUntraced(function* (
  options: Options,
  gate: AdmissionGate | undefined,
) {
  const basePath = basePathOf(options)
  const { balance, check, get, list, send, verify } = yield* Endpoints.make({
    guardAllEndpoints: options.guardAllEndpoints ?? false,
    maxBodyBytes: options.maxBodyBytes ?? 65_536,
    addressOf: addressOf(options),
    gate: gate,
  })
  const documents = options.documentation === false ? [] : documentation
  const resources = new Map<string | undefined, Answer>([
    ["/messages", resource({ GET: list, POST: send })],
    ["/balance", resource({ GET: balance })],
    ["/verify", resource({ POST: verify })],
    ["/verify/check", resource({ POST: check })],
    ...documents,
  ])
  const entry = resource({ GET: get })
  return Effect.flatMap(HttpServerRequest, (request) => {
    const base = RequestContext.of(request).basePath ?? basePath
    const path = pathBelow(base, request.url)
    const answer = resources.get(path) ?? (isEntry(path) ? entry : undefined)
    return Effect.catchDefect(answer?.(request, base) ?? unknownPath, (defect) =>
      onDefect(request, defect),
    )
  })
})

/** Makes the application over the engine of the context. Options that make no sense are a defect. */
export const make = (options: Options = {}): Effect.Effect<Handler, never, Requirements> =>
  application(options, undefined)

/** How many requests with one key may be under way. */
export const defaultMaxRequestsPerKey = 1_024

/** A gate with the bounds of these options. */
export const makeAdmissionGate = ({
  maxRequests = 4_096,
  maxRequestsPerKey = defaultMaxRequestsPerKey,
}: DrainOptions): AdmissionGate =>
  new AdmissionGate({ max: maxRequests, maxPerKey: maxRequestsPerKey })

/** Longer than a gateway may take by default, so that what was sent is also settled. */
export const defaultGraceMillis = Drain.defaultGraceMillis

/**
 * Makes the application for a server that ends with the scope: its end waits,
 * for a bounded time, until every request has come to its own. A client that
 * went away does not take its request along, and neither does the server.
 */
export const makeDraining = Effect.fnUntraced(function* (
  options: DrainingOptions = {},
): Effect.fn.Return<Handler, never, Requirements | Scope.Scope> {
  const gate = options.gate ?? makeAdmissionGate(options)
  return yield* drain(yield* application(options, gate), { ...options, gate: gate })
})

/**
 * Lets requests into any application by a gate, and has the end of the scope wait, for a bounded time, for
 * those that are under way.
 */
export const drain = Effect.fnUntraced(function* (
  handler: Handler,
  options: DrainOptions = {},
): Effect.fn.Return<Handler, never, Scope.Scope> {
  const gate = options.gate ?? makeAdmissionGate(options)
  yield* Effect.addFinalizer(() =>
    // Others may have come in by the same gate.
    Drain.wait((tell) => gate.whenEmpty(tell), options.graceMillis ?? defaultGraceMillis),
  )
  return Effect.flatMap(HttpServerRequest, (request) => {
    if (!gate.admit(request, request.headers["authorization"])) return Effect.succeed(overloaded)
    return Effect.ensuring(
      handler,
      Effect.sync(() => gate.release(request)),
    )
  })
})

/**
 * Adds everything below the base path to the host's `HttpRouter`. The end of
 * the layer waits for requests that are under way.
 */
export const layerRoutes = (
  options: DrainingOptions = {},
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const handler = yield* makeDraining(options)
      yield* router.add("*", `${basePathOf(options)}/*`, handler)
    }),
  )

/** The interface for web `Request`s, and what ends the services that were built for it. */
export interface WebHandler {
  readonly fetch: (request: Request) => Promise<Response>
  /** The same, for mounts that know more of a request than it says. */
  readonly handle: (request: Request, context: RequestContext.RequestContext) => Promise<Response>
  /** Waits for requests that are under way, then ends the services that were built. */
  readonly dispose: () => Promise<void>
}

export interface WebOptions extends Omit<DrainingOptions, "clientAddress"> {
  /**
   * The address that a request comes from, which a web `Request` does not tell:
   * from a header that the platform sets, or from what its server hands over
   * beside the request. Without it, an organization's allow list admits nobody.
   */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined
  /** Shares services with other users of the same layers, such as a `ManagedRuntime`. */
  readonly memoMap?: Layer.MemoMap | undefined
}

class Application extends Context.Service<Application, Handler>()(
  "@countersign/http/Http/Application",
) {}

/**
 * Builds the services of `layer` and a fetch handler over them, for every
 * runtime that has web `Request`s: Workers, Deno, Bun, and frameworks on Node.
 *
 * The services are built at once; requests that come earlier wait for them.
 * `dispose` waits for requests that are under way.
 */
export const toWebHandler = <E>(
  layer: Layer.Layer<Requirements, E>,
  { clientAddress, memoMap, ...options }: WebOptions = {},
): WebHandler => {
  const application = Layer.effect(
    Application,
    makeDraining({
      ...options,
      clientAddress: ({ source }) =>
        source instanceof Request ? clientAddress?.(source) : undefined,
    }).pipe(Effect.provideService(BodyReader, readWeb)),
  )
  const { dispose, handler } = HttpEffect.toWebHandlerLayerWith(
    Layer.provideMerge(Layer.merge(application, layerRequests), layer),
    { memoMap, toHandler: (context) => Effect.succeed(Context.get(context, Application)) },
  )
  return {
    dispose,
    fetch: (request) => handler(request),
    handle: (request, context) => {
      RequestContext.attach(request, context)
      return handler(request)
    },
  }
}
