import type { RequestContext } from "@countersign/http/MountOptions"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Actor } from "@countersign/core/codec/AuditData"
import type { GatewayStates, Services } from "./services.ts"
import type { Event } from "@countersign/core/codec/EventData"

export type { RequestContext }

/** A listener for `node:http`, and for `app.use(path, listener)` of Express, whose path is the base path. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  context?: RequestContext | ((error?: unknown) => void),
) => void

/** The receiver of vendors' reports. The host mounts it beside the HTTP interface. */
export interface Callbacks {
  /** For web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. Pass a body that was read as bytes, because signatures cover them. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** A listener of `node:http`. */
  readonly listener: Listener
  /** The report address of each gateway, by the gateway's name; empty without `callbacks.publicUrl`. */
  readonly urls: Readonly<Record<string, string>>
  /** The engine's `dispose`, for mounts that end the engine when they end. */
  readonly dispose: () => Promise<void>
}

/** A running engine. */
export interface Countersign extends Services, AsyncDisposable {
  /** Returns the same services in the name of an actor, whom the audit then names. */
  readonly as: (actor: Actor) => Services
  /** The HTTP interface for web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** The HTTP interface as a listener of `node:http`. */
  readonly listener: Listener
  /** Receives vendors' reports. */
  readonly callbacks: Callbacks
  /** The health of the gateways of this process. */
  readonly gateways: GatewayStates
  /** Calls `listener` for everything that this process commits from now on. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (event: Event) => void) => () => void
  /**
   * Waits for requests, reports and calls under way, at most `http.graceMillis`, and ends the engine. Later
   * calls reject with `DisposedError`. Calling it more than once is safe. `await using` calls it.
   */
  readonly dispose: () => Promise<void>
}
