import type { Payment } from "@countersign/core/domain/Payment"
import type { RejectionReason } from "@countersign/core/domain/RejectionReason"
import type { Route } from "@countersign/core/routing/Route"
import type { CommonOptions } from "@countersign/gateways/VendorOptions"
import type { Channel } from "@countersign/core/codec/Data"

export type { GatewayHealth } from "@countersign/core/domain/GatewayHealth"
export type { Route } from "@countersign/core/routing/Route"

/** A message to carry. */
export interface OutgoingMessage {
  /** The same for all attempts at one message. A vendor that honours it sends the message once. */
  readonly token: string
  /** The organization. With `sequence` it identifies the message in reports, if the vendor returns a reference. */
  readonly organization: string
  /** The position in the log of the organization, from 1. */
  readonly sequence: number
  readonly purpose: "message" | "verification"
  readonly channel: Channel
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly sender: string
  /** The message text. Only `text` and `code` contain the code in clear; do not log them. */
  readonly text: string
  /** The code in the text, for channels with templates of their own. */
  readonly code?: string | undefined
  /** The language of the text, such as `en-us`. Present when `code` is. */
  readonly locale?: string | undefined
  /**
   * The payment that the code approves. `text` names it. A gateway that sends the code without `text` has to
   * show the recipient its amount and payee, or answer `rejected` with the reason `sender`.
   */
  readonly payment?: Payment | undefined
}

/** The outcome of one attempt. */
export type GatewayOutcome =
  /** The vendor has taken the message, under this id. A report follows if the gateway has reports. */
  | { readonly status: "accepted"; readonly gatewayId: string }
  /** The vendor has taken the message, and it has arrived. */
  | { readonly status: "delivered"; readonly gatewayId: string }
  /** A refusal that the vendor documents as final: it has not sent the message and will not. */
  | {
      readonly status: "rejected"
      readonly reason: RejectionReason
      readonly message: string
      /** Whether the vendor documents that the recipient is not on the channel. */
      readonly unreachable?: boolean | undefined
    }
  /** The vendor refused the message because of its load. It sent nothing. */
  | {
      readonly status: "throttled"
      readonly message: string
      readonly retryAfterMillis?: number | undefined
    }
  /** The message provably never left: there was no connection, or the vendor refused before it read the text. */
  | { readonly status: "not_sent"; readonly message: string }
  /** Every other outcome. The message may or may not arrive. */
  | { readonly status: "unknown"; readonly message: string }

/** A message to look up at the gateway. */
export interface LookupRequest extends Omit<OutgoingMessage, "text" | "code" | "payment"> {
  /** The vendor's id of the message; `null` if the attempt ended without a known result. */
  readonly gatewayId: string | null
}

/** The vendor has taken the message but could not deliver it. */
export interface Undelivered {
  readonly status: "undelivered"
  /** The vendor's words. */
  readonly message: string
}

/** A gateway that carries messages. */
export interface Gateway {
  readonly name: string
  /**
   * Sends a message. If it throws, or takes longer than `timeoutMillis` and is aborted by the signal, the
   * outcome is unknown: the price stays held until a report or the settlement deadline decides.
   */
  readonly send: (
    message: OutgoingMessage,
    options: { readonly signal: AbortSignal },
  ) => Promise<GatewayOutcome>
  /** Whether a phone number can be reached on WhatsApp. `undefined`: the engine does not check. */
  readonly isReachable?: ((phoneNumber: string) => Promise<"yes" | "no" | "unknown">) | undefined
  /**
   * Looks up the outcome of a message whose attempt ended without a known result, or that is still open at its
   * deadline. `not_sent` means that the vendor never received it. If it throws or is `undefined`, the outcome
   * is unknown.
   */
  readonly lookup?: ((message: LookupRequest) => Promise<GatewayOutcome | Undelivered>) | undefined
  /** Whether the vendor treats a second attempt with the same token as the same message. @defaultValue `false` */
  readonly honoursToken?: boolean | undefined
  /** Milliseconds in which the vendor does not reuse a `gatewayId`, so that reports match. @defaultValue Infinity */
  readonly idMillis?: number | undefined
  /** Whether the host passes reports to `reports.receive`. Otherwise accepted means delivered. @defaultValue `false` */
  readonly reports?: boolean | undefined
  /** Time limit of an attempt, in milliseconds. @defaultValue 10,000 */
  readonly timeoutMillis?: number | undefined
  /** The channels that the gateway carries, in a list of gateways. @defaultValue all channels */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Maximum number of messages a second, for each node. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /** Pause between two messages to one recipient in milliseconds, for each node. @defaultValue 0 */
  readonly pairMillis?: number | undefined
}

/** A gateway to a vendor, made by one of the functions of `countersign/gateways`. */
export interface VendorGateway {
  /** The name in routes, in reports and in the log. */
  readonly name: string
  /** The interface of the gateway: `twilio`, `kannel` and so on. */
  readonly vendor: string
}

/** The options of all vendors: those of the adapters, and the rates that the engine keeps. */
export interface VendorOptions extends CommonOptions {
  /** Maximum number of messages a second, for each node. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /** Milliseconds between two messages to one recipient, for each node. @defaultValue 6,000 for WhatsApp Cloud, or 0 */
  readonly pairMillis?: number | undefined
}

/** Creates a gateway to a vendor. `createCountersign` checks the options. */
export type Vendor<Options> = (options: Options & VendorOptions) => VendorGateway

/** A gateway that is written with Effect: the service `Gateway` of `@countersign/core`, such as that of `createInbox`. */
export interface EffectGateway {
  /** The name in routes, in reports and in the log. */
  readonly name: string
  readonly capabilities: { readonly timeoutMillis: number }
}

/** A gateway of your own, one from `countersign/gateways`, or one that is written with Effect. */
export type AnyGateway = Gateway | VendorGateway | EffectGateway

/** A gateway for each channel. Both can be the same gateway. */
export interface Gateways {
  readonly sms?: AnyGateway | undefined
  readonly whatsapp?: AnyGateway | undefined
}

/** How the engine chooses among several gateways, and how it treats failing ones. */
export interface RoutingOptions {
  /** @defaultValue each gateway carries all messages that it can, in the order of the list */
  readonly routes?: ReadonlyArray<Route> | undefined
  /** How long a message is tried again after all gateways have been tried, in seconds. @defaultValue 10 */
  readonly budgetSeconds?: number | undefined
  /** Number of consecutive failures after which a gateway is paused. @defaultValue 5 */
  readonly failures?: number | undefined
  /** Seconds to pause a failing gateway. @defaultValue 5 seconds, doubled each time, to at most 5 minutes */
  readonly leftAloneSeconds?: number | undefined
  /** How long a gateway is paused after it has refused the account, in seconds. @defaultValue 300 */
  readonly barredSeconds?: number | undefined
  /** How long the engine remembers that a phone number is not on WhatsApp, in seconds. @defaultValue 86,400 */
  readonly notOnWhatsAppSeconds?: number | undefined
}
