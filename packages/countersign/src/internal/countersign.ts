/**
 * A running engine, as its host sees it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { GatewayStates, Services } from "./services.ts"
import type { Event } from "./eventTypes.ts"

/** What a mount tells of a request that the request itself does not say. */
export interface RequestContext {
  /** The address at the other end of the connection. */
  readonly clientAddress?: string | undefined
  /** What stands before the interface's own paths in the URL. */
  readonly basePath?: string | undefined
  /** The body, where a parser of the host has read it. */
  readonly body?: unknown
}

/**
 * A listener for the `request` event of `node:http`, and for `app.use(path, listener)` of Express, whose path
 * becomes the base path. The third argument is what a mount knows of the request; the `next` of Express is
 * ignored.
 */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  context?: RequestContext | ((error?: unknown) => void),
) => void

/** Where vendors report what became of messages: the host mounts it beside the HTTP interface. */
export interface Callbacks {
  /** For web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * The same, for mounts that know more of a request than it says. Where its body was read before, `body`
   * has to have its bytes: signatures are over these.
   */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** A listener of `node:http`. */
  readonly listener: Listener
  /** The address to give to each vendor, by the name of its gateway; none without `callbacks.publicUrl`. */
  readonly urls: Readonly<Record<string, string>>
  /** That of the engine, for mounts that end with what they mount. */
  readonly dispose: () => Promise<void>
}

/** A running engine. */
export interface Countersign extends Services, AsyncDisposable {
  /** The HTTP interface for web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The same, for mounts that know more of a request than it says. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** The HTTP interface as a listener of `node:http`. */
  readonly listener: Listener
  /** Where vendors report. */
  readonly callbacks: Callbacks
  /** How the gateways of this process fare. */
  readonly gateways: GatewayStates
  /** Hears of everything that this process commits from now on; gives what ends that. */
  readonly subscribe: (listener: (event: Event) => void) => () => void
  /**
   * Waits for requests, reports and calls under way, at most `http.graceMillis`, and ends the engine. Calls that
   * come later reject with `DisposedError`. May be called more than once. `await using` calls it.
   */
  readonly dispose: () => Promise<void>
}
