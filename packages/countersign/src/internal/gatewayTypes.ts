/**
 * Gateways written with promises.
 */
import type { Channel } from "./types.ts"

/** A message to carry. */
export interface OutgoingMessage {
  /** The same for every attempt at one message: a vendor that honours it sends once. */
  readonly token: string
  readonly purpose: "message" | "verification"
  readonly channel: Channel
  /** E.164 with its plus. */
  readonly to: string
  readonly sender: string
  /** The only place where a code is found in clear: keep it out of your logs. */
  readonly text: string
}

/** The answer to one attempt. */
export type GatewayOutcome =
  /** Taken; a report follows if the gateway reports at all. */
  | { readonly status: "accepted"; readonly gatewayId: string }
  /** Taken, and known to have arrived. */
  | { readonly status: "delivered"; readonly gatewayId: string }
  /** Refused in a way that the vendor documents as final: nothing was or will be sent. */
  | {
      readonly status: "rejected"
      readonly reason: "recipient" | "content" | "sender" | "account"
      readonly message: string
    }
  /** Not taken for now: too much at once. Nothing was sent. */
  | {
      readonly status: "throttled"
      readonly message: string
      readonly retryAfterMillis?: number | undefined
    }
  /** Proven not to have left: no connection, or refused before the text was read. */
  | { readonly status: "not_sent"; readonly message: string }
  /** Anything else. It may or may not arrive. */
  | { readonly status: "unknown"; readonly message: string }

/** Whoever carries messages. */
export interface Gateway {
  readonly name: string
  /**
   * Hands a message over. To throw, or to be interrupted by the signal after `timeoutMillis`, is an
   * unknown outcome: the price stays held until a report or the settlement deadline decides.
   */
  readonly send: (
    message: OutgoingMessage,
    options: { readonly signal: AbortSignal },
  ) => Promise<GatewayOutcome>
  /** Whether a number can be reached on WhatsApp; nobody is asked when left out. */
  readonly isReachable?: ((to: string) => Promise<"yes" | "no" | "unknown">) | undefined
  /** A second attempt under the same token is not a second message; no when left out. */
  readonly honoursToken?: boolean | undefined
  /** Reports will be handed to `reports.receive`. Without them, accepted is delivered; no when left out. */
  readonly reports?: boolean | undefined
  /** How long an attempt may take; 10,000 when left out. */
  readonly timeoutMillis?: number | undefined
}

/** One gateway for each channel, or the same one twice. */
export interface Gateways {
  readonly sms?: Gateway | undefined
  readonly whatsapp?: Gateway | undefined
}
