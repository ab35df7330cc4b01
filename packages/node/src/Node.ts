/**
 * The HTTP interface on `node:http`: as a request listener for the host's own server, or with a server of its
 * own. It reads Node's request objects directly, without web `Request`s.
 */
import { Readiness } from "@countersign/core/engine/Readiness"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import { millisOfOption } from "@countersign/core/domain/values/Duration"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import { BodyReader } from "@countersign/http/mount/BodyReader"
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as AdmissionGate from "@countersign/http/mount/AdmissionGate"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as Context from "effect/Context"
import type { Aead } from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type {
  IncomingMessage,
  Server as HttpServer,
  ServerOptions,
  ServerResponse,
} from "node:http"
import { Http as NodeHttp } from "./internal/builtins.ts"
import { layerAead, layerDigest, layerMac, layerSecureRandom } from "./internal/crypto.ts"
import { handlerIn } from "./internal/handling.ts"
import { readIncoming } from "./internal/incoming.ts"
import { contextOf, type NextFunction } from "./internal/mounted.ts"
import { NodeRequest } from "./internal/nodeRequest.ts"
import { FairQueue } from "./internal/fairQueue.ts"
import type { Duplex } from "node:stream"

/** The platform services of the engine, from `node:crypto`. */
export const layerCrypto: Layer.Layer<Aead | Mac | Digest | SecureRandom> = Layer.mergeAll(
  layerAead,
  layerMac,
  layerDigest,
  layerSecureRandom,
)

/** A listener for `node:http`, and for `app.use(path, listener)` of Express, whose path is the base path. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  context?: RequestContext.RequestContext | NextFunction,
) => void

/** Creates a listener over the engine in the context. The end of the scope waits for requests under way. */
export const make = Effect.fnUntraced(function* (
  options: Http.DrainingOptions = {},
): Effect.fn.Return<Listener, never, Http.Requirements | Scope.Scope> {
  const gate = options.gate ?? AdmissionGate.makeAdmissionGate(options)
  const services = yield* Effect.context<never>()
  const handle = yield* handlerOver(
    Effect.provideService(Http.makeApplication({ ...options, gate }), BodyReader, readIncoming),
  )
  const fairQueue = new FairQueue(
    {
      perKey: begunInATurn,
      maxInLine: options.maxRequestsPerKey ?? AdmissionGate.defaultMaxRequestsPerKey,
    },
    (turn) => void setImmediate(turn),
  )
  // Runs first: queued requests still begin, and the scope then waits for them.
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => fairQueue.whenEmpty(() => resume(Effect.void))),
  )
  return (request, response, passed) => {
    const bound = gate.boundOf(request.headers.authorization)
    const context = contextOf(request, passed)
    const begin = (): void => {
      if (context !== undefined) RequestContext.attach(request, context)
      handle(new NodeRequest(request, response))
    }
    // Refusing here costs half as much as after converting the request.
    if (!gate.isFull(bound) && fairQueue.run(bound, begin)) return
    if (Http.isProbe(options, request.url ?? "", context)) return begin()
    Telemetry.countOverload(services)
    sendAway(response)
  }
})

const handlerOver = Effect.fnUntraced(function* <R>(
  made: Effect.Effect<Http.Application, never, R>,
) {
  // Closes last, and interrupts the requests that are still under way then.
  const requests = yield* Effect.flatMap(Effect.scope, Scope.fork)
  return yield* Effect.provide(handlerIn(requests, yield* made), Http.layerRequests)
})

/** Creates a listener over any application. The end of the scope waits for requests under way. */
export const makeListener = Effect.fnUntraced(function* (
  handler: WebHandler.Handler,
  options: AdmissionGate.DrainOptions = {},
): Effect.fn.Return<Listener, never, Scope.Scope> {
  const handle = yield* handlerOver(
    Effect.map(AdmissionGate.drain(handler, options), (drained) => ({ handler: drained })),
  )
  return (request, response, passed) => {
    const context = contextOf(request, passed)
    if (context !== undefined) RequestContext.attach(request, context)
    handle(new NodeRequest(request, response))
  }
})

/**
 * Number of requests with one key that begin in one turn of the event loop. A flood over 256 connections loses
 * no throughput through this limit, and the waiting time of the others drops by a third.
 */
const begunInATurn = 4

const sendAway = (response: ServerResponse): void => {
  response.writeHead(refusal.status, sendAwayHeaders).end(refusal.body)
}

const { refusal } = AdmissionGate

const sendAwayHeaders = {
  ...refusal.headers,
  "content-length": Buffer.byteLength(refusal.body),
}

/** A listener for `node:http` and the function that ends its services. */
export interface NodeHandler {
  readonly listener: Listener
  /** Waits for requests under way, then ends the services that were built. */
  readonly dispose: () => Promise<void>
}

export interface NodeOptions extends Http.DrainingOptions {
  /** Shares services with other users of the same layers, such as a `ManagedRuntime`. */
  readonly memoMap?: Layer.MemoMap | undefined
}

/**
 * Builds the services of `layer` and a listener over them, for `http.createServer` and for frameworks that pass
 * on Node's own objects.
 *
 * The services are built immediately. Earlier requests wait for them, and get a 503 if they cannot be built.
 */
export const toNodeHandler = <E>(
  layer: Layer.Layer<Http.Requirements, E>,
  { memoMap, ...options }: NodeOptions = {},
): NodeHandler => {
  const scope = Scope.makeUnsafe()
  const built = Layer.buildWithMemoMap(layer, memoMap ?? Layer.makeMemoMapUnsafe(), scope)
  const listening = Effect.runPromise(
    Effect.flatMap(built, (context) =>
      make(options).pipe(Effect.provideContext(context), Scope.provide(scope)),
    ),
  )
  let listener: Listener = (request, response, context) =>
    void listening.then(
      (ready) => ready(request, response, context),
      () => unavailable(response),
    )
  listening.then(
    (ready) => (listener = ready),
    () => {},
  )
  let disposing: Promise<void> | undefined
  return {
    listener: (request, response, context) => listener(request, response, context),
    dispose: () => (disposing ??= Effect.runPromise(Scope.close(scope, Exit.void))),
  }
}

const unavailable = (response: ServerResponse): void => {
  response.writeHead(503, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "countersign-error": "unavailable",
  })
  response.end(JSON.stringify({ error: "The service could not be started" }))
}

/** How to listen, and how to stop. */
export interface ServeOptions {
  /** 0 selects a free port. */
  readonly port: number
  /** Set it to accept connections from other machines. @defaultValue `127.0.0.1` */
  readonly host?: string | undefined
  /** Options for `http.createServer`. They replace the same options of `defaultServerOptions`. */
  readonly server?: ServerOptions | undefined
  /** Path for the check of a balancer. The server answers it: 200, and 503 when it ends. @defaultValue none */
  readonly readyPath?: string | undefined
  /**
   * How long the end still serves requests while `readyPath` answers 503. Longer than your balancer takes to notice:
   * its interval of checks, times the number of failures that it waits for.
   * @defaultValue no time
   */
  readonly shutdownWait?: Duration | undefined
  /** How long the end then waits for the requests under way. @defaultValue `"20 seconds"` */
  readonly shutdownTimeout?: Duration | undefined
}

export interface ServerLayerOptions
  extends Http.DrainingOptions, Omit<ServeOptions, "shutdownTimeout"> {}

/** Limits how long a client may take for its request. Common load balancers close idle connections earlier. */
export const defaultServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
} as const satisfies ServerOptions

/** A server that is listening. */
export class NodeServer extends Context.Service<
  NodeServer,
  {
    /** Such as `http://127.0.0.1:3000`, without a path. */
    readonly origin: string
    readonly port: number
  }
>()("@countersign/node/Node/NodeServer") {}

/**
 * Serves a listener, such as one that passes some paths to the listener of `make`.
 *
 * When the scope ends, `readyPath` answers 503, and so does `/ready` of the interface if the engine is in the context.
 * Requests are still served for the time of `shutdownWait`. Then the server stops accepting connections, lets the
 * requests under way finish within `shutdownTimeout`, and closes the remaining connections.
 */
export const serve = Effect.fnUntraced(function* (
  listener: Listener,
  options: ServeOptions,
): Effect.fn.Return<NodeServer["Service"], ServeError, Scope.Scope> {
  const { host = "127.0.0.1", port, readyPath, shutdownWait } = options
  const wait =
    shutdownWait === undefined
      ? Effect.void
      : Effect.sleep(millisOfOption("shutdownWait", shutdownWait))
  const readiness = yield* Effect.serviceOption(Readiness)
  let isEnding = false
  const server = NodeHttp.createServer(
    { ...defaultServerOptions, ...options.server },
    (request, response) => {
      // Otherwise a balancer keeps the connection for further requests.
      if (isEnding) response.shouldKeepAlive = false
      if (request.url !== readyPath) return listener(request, response)
      response.writeHead(isEnding ? 503 : 200).end()
    },
  )
  server.on("clientError", answerClientError)
  const end = Effect.suspend(() => {
    isEnding = true
    if (Option.isSome(readiness)) readiness.value.drainUnsafe()
    return Effect.andThen(wait, stop(server, AdmissionGate.graceMillis(options)))
  })
  yield* Effect.acquireRelease(listen(server, port, host), () => end)
  const log = Effect.runForkWith(yield* Effect.context<never>())
  // Without an `error` listener, a lack of file descriptors would end the process.
  server.on("error", (error) => log(lost(error)))
  return whereabouts(server)
})

/** Serves the interface. The end of the layer stops the server as in `serve`. */
export const layerServer = (
  options: ServerLayerOptions,
): Layer.Layer<NodeServer, ServeError, Http.Requirements> =>
  Layer.effect(
    NodeServer,
    Effect.flatMap(make(options), (listener) => serve(listener, options)),
  )

/** Number of connections that may wait to be accepted. Many may arrive at once. */
const backlog = 4_096

const listen = (server: HttpServer, port: number, host: string): Effect.Effect<void, ServeError> =>
  Effect.callback((resume) => {
    const onError = (cause: Error): void => resume(Effect.fail(new ServeError({ cause })))
    server.once("error", onError)
    server.listen({ port, host, backlog }, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

const lost = ({ code, name }: NodeJS.ErrnoException): Effect.Effect<void> =>
  Effect.logError("A connection was lost", { code: code ?? name })

const stop = (server: HttpServer, graceMillis: number): Effect.Effect<void> => {
  const closed = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
  })
  // A connection whose last response came after `close` stays open for its keep-alive.
  const sweeps = Effect.repeat(
    Effect.sync(() => server.closeIdleConnections()),
    Schedule.spaced("50 millis"),
  )
  return Effect.race(closed, Effect.andThen(sweeps, Effect.never)).pipe(
    // A time limit works only on an interruptible effect.
    Effect.interruptible,
    Effect.timeoutOption(graceMillis),
    Effect.andThen(Effect.sync(() => server.closeAllConnections())),
  )
}

const whereabouts = (server: HttpServer): NodeServer["Service"] => {
  const address = server.address()
  // Only a server on a pipe, or a server that does not listen, has no port.
  if (address === null || typeof address === "string") throw new TypeError("No port is listened on")
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address
  return { origin: `http://${host}:${address.port}`, port: address.port }
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Responds to input that is not HTTP with a JSON error, as to every other invalid request. */
const answerClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const status = statuses[error.code ?? ""] ?? 400
  const reason = NodeHttp.STATUS_CODES[status] ?? "Bad Request"
  const body = JSON.stringify({ error: reason })
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      "Connection: close",
      "Cache-Control: no-store",
      "Content-Type: application/json",
      "Countersign-Error: bad_request",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  )
}
