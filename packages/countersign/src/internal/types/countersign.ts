import type { Event } from "./operations.ts"
import type { AdminOptions } from "@countersign/http/admin/AdminOptions"
import type { RequestContext } from "@countersign/http/mount/MountOptions"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Actor } from "@countersign/core/api/PlainTypes"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { GatewayStates, Services } from "./services.ts"

export type { RequestContext }

/** A listener for `node:http`, and for `app.use(path, listener)` of Express, whose path is the base path. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  context?: RequestContext | ((error?: unknown) => void),
) => void

/** Something that the host mounts beside the HTTP interface. */
export interface Mount {
  /** For web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** A listener of `node:http`. */
  readonly listener: Listener
  /** The engine's `dispose`, for mounts that end the engine when they end. */
  readonly dispose: () => Promise<void>
}

/** The admin API. */
export interface AdminMount extends Mount {
  /** The engine's `endStreams`, for mounts that know when the server stops. */
  readonly endStreams: () => void
}

/**
 * The receiver of vendors' reports. Pass a body that was read as bytes to `handle`, because signatures cover them.
 */
export interface Callbacks extends Mount {
  /** The report address of each gateway, by the gateway's name; empty without `callbacks.publicUrl`. */
  readonly urls: Readonly<Record<string, string>>
}

/** A server of `node:http`, `node:https` or `node:http2`, or an app of Fastify. */
export interface HttpServer {
  /** Accepts no further connections, and calls `closed` when the last one has ended. */
  readonly close: (closed: (error?: Error) => void) => unknown
}

/** The server that `shutdown` closes, and the wait before. */
export interface ShutdownInput {
  /** Closes after the wait. Requests under way are answered first. @defaultValue none */
  readonly server?: HttpServer | undefined
  /**
   * How long requests are still served while `isReady` is `false`. Longer than your balancer takes to notice: its
   * interval of checks, times the number of failures that it waits for.
   * @defaultValue `"10 seconds"` in production, and else `"0 seconds"`
   */
  readonly wait?: Duration | undefined
}

/**
 * Whether a balancer may send requests. `draining`: `shutdown` or `dispose` was called. `database`: the database does not
 * answer within two seconds. `migrations`: the tables lack a migration of this build, or belong to another one.
 */
export type Health =
  | { readonly isReady: true }
  | { readonly isReady: false; readonly reason: "draining" | "database" | "migrations" }

/** A running engine. */
export interface Countersign extends Services, AsyncDisposable {
  /** Returns the same services in the name of an actor, whom the audit then names. */
  readonly as: (actor: Actor) => Services
  /** Answers web `Request`s to the HTTP interface. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** The HTTP interface as a listener of `node:http`. */
  readonly listener: Listener
  /** Receives vendors' reports. */
  readonly callbacks: Callbacks
  /**
   * Returns the admin API, and the pages of a dashboard if you pass them. The API is below `/api` of its mount. Throws
   * `ConfigurationError` without `authorize`. Off until you mount it.
   */
  readonly admin: (options: AdminOptions) => AdminMount
  /** The health of the gateways of this process. */
  readonly gateways: GatewayStates
  /** Calls `listener` for everything that this process commits from now on. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (event: Event) => void) => () => void
  /**
   * Ends the event streams of all mounts of the admin API, and refuses further ones with 503. Call it when a server
   * stops, because the server waits for open streams. `dispose` calls it first.
   */
  readonly endStreams: () => void
  /** Returns whether a balancer may send requests: `false` after the call of `shutdown` or `dispose`. */
  readonly isReady: () => boolean
  /** Returns the answer of the route `/ready`, for a route of yours. Asks the database at most once a second. */
  readonly health: () => Promise<Health>
  /**
   * Returns the metrics of this engine in the text format of Prometheus, for a route of yours. Its type is
   * `text/plain; version=0.0.4`. `http.metrics` serves them at `/metrics` of the HTTP interface.
   */
  readonly metrics: () => Promise<string>
  /**
   * Ends a server without losing a request. `isReady` becomes `false`, requests are served for the time of `wait`, event
   * streams end, the server closes, and the engine is disposed. Connections that are still busy after `shutdownTimeout`
   * are cut. Calling it more than once is safe. Throws `ConfigurationError` for an invalid `wait`.
   */
  readonly shutdown: (input?: ShutdownInput) => Promise<void>
  /**
   * Waits for requests, reports and calls under way, at most `shutdownTimeout`, and ends the engine. Later
   * calls reject with `DisposedError`. Calling it more than once is safe. `await using` calls it.
   */
  readonly dispose: () => Promise<void>
}
