/**
 * The port to the network over which webhooks are delivered.
 *
 * The addresses come from the customers of the host, so a transport must keep requests away from the host's own
 * network. It refuses private addresses at the connection, not before it, and follows no redirect.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type WebhookResponse =
  | {
      readonly _tag: "Answered"
      readonly status: number
      /** The header `Retry-After`. */
      readonly retryAfter: string | undefined
      /** The first bytes of the body as text, some thousands at most. */
      readonly start: string
    }
  /** There is no answer. `error` is shown to the customers of the host. */
  | { readonly _tag: "Unanswered"; readonly error: string }

export interface WebhookTransport {
  /** Why the transport would refuse an absolute URL; `undefined` if it would try to connect. */
  readonly problemOf: (url: URL) => string | undefined
  /** Posts a body. Never fails. An interruption ends the connection. Drops the rest of the answer's body. */
  readonly post: (request: WebhookRequest) => Effect.Effect<WebhookResponse>
}

/** The transport of this process. Default: none, and the process delivers nothing. */
export const WebhookTransport = Context.Reference<WebhookTransport | undefined>(
  "@countersign/core/ports/WebhookTransport",
  { defaultValue: () => undefined },
)
