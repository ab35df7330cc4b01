import type { Payment } from "@countersign/core/domain/verifications/Payment"
import type { RejectionReason } from "@countersign/core/domain/values/FailureReason"
import type { Route } from "@countersign/core/routing/Route"
import type { CommonOptions } from "@countersign/gateways/VendorOptions"
import type { DeliveryReport } from "@countersign/core/api/PlainTypes"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { MessageClass } from "@countersign/core/domain/values/MessageClass"
import type { Duration } from "@countersign/core/domain/values/DurationText"

export type { GatewayHealth } from "@countersign/core/domain/messages/GatewayHealth"
export type { Route } from "@countersign/core/routing/Route"

/** A message to carry. */
export interface OutgoingMessage {
  /** The same for all attempts at one message. A vendor that honours it sends the message once. */
  readonly token: string
  /** The organization. With `sequence` it identifies the message in reports, if the vendor returns a reference. */
  readonly organization: string
  /** The position in the log of the organization, from 1. */
  readonly sequence: number
  /** Whether it carries a code. */
  readonly purpose: "message" | "verification"
  /** Whether it advertises. Codes are transactional. */
  readonly class: MessageClass
  /** The channel to send it over. */
  readonly channel: Channel
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** The masking name, the number, or the id of the profile that sends it. */
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

/** The outcome of one attempt. `message` and `vendorCode` are the vendor's text and its code of the error. */
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
      readonly vendorCode?: string | undefined
      /** Whether the vendor documents that the recipient is not on the channel. */
      readonly unreachable?: boolean | undefined
    }
  /** The vendor refused the message because of its load. It sent nothing. */
  | {
      readonly status: "throttled"
      readonly message: string
      readonly vendorCode?: string | undefined
      /** How long the vendor asks to wait. */
      readonly retryAfter?: Duration | undefined
    }
  /** The message provably never left: there was no connection, or the vendor refused before it read the text. */
  | {
      readonly status: "not_sent"
      readonly message: string
      readonly vendorCode?: string | undefined
    }
  /** Every other outcome. The message may or may not arrive. */
  | {
      readonly status: "unknown"
      readonly message: string
      readonly vendorCode?: string | undefined
    }

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

/** A request of a vendor to the address of a gateway in `countersign.callbacks.urls`. Its sender is not verified. */
export interface VendorRequest {
  /** The HTTP method. */
  readonly method: string
  /** The address below `callbacks.publicUrl`. The request's own `Host` has no effect on it. */
  readonly url: URL
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes that were received, which signatures cover. */
  readonly body: Uint8Array
}

/** The content of a vendor's request, as the gateway has read it. */
export type VendorReports =
  | {
      /** In the order in which the vendor sent them. Empty if the request is not about deliveries. */
      readonly reports: ReadonlyArray<DeliveryReport>
      /** The id of the request, if the vendor signs one and never uses it again. A repeat is ignored. */
      readonly once?: string | undefined
    }
  /** The signature is missing or wrong: the reason. Answered 403. */
  | { readonly refused: string }
  /** The signature is right, and the body cannot be read: the reason. Answered 400. */
  | { readonly malformed: string }

/** A gateway that carries messages. */
export interface Gateway<Name extends string = string> {
  /** The name in routes, in reports and in the log. */
  readonly name: Name
  /**
   * Sends a message. If it throws, or takes longer than `timeout` and is aborted by the signal, the
   * outcome is unknown. The price stays held until a report or the settlement deadline decides.
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
  /**
   * Whether `lookup` finds each accepted message by its `token` alone, when `gatewayId` is `null`. A send is then
   * answered before its outcome is written. @defaultValue `false`
   */
  readonly lookupByToken?: boolean | undefined
  /**
   * Whether the vendor treats a second attempt with the same token as the same message, for a day or longer.
   * Messages, but not codes, are then answered before their outcome is written. @defaultValue `false`
   */
  readonly honoursToken?: boolean | undefined
  /** How long the vendor does not reuse a `gatewayId`, so that reports match. @defaultValue unlimited */
  readonly idLifetime?: Duration | undefined
  /**
   * Verifies and reads a request of the vendor to `countersign.callbacks`, which passes the reports to the engine and
   * answers. Needs `reports: true` and `callbacks.publicUrl`. `undefined`: the host calls `reports.receive`.
   */
  readonly callback?: ((request: VendorRequest) => Promise<VendorReports>) | undefined
  /** Whether the host passes reports to `reports.receive`, or `callback` reads them. Otherwise accepted means delivered. @defaultValue `false` */
  readonly reports?: boolean | undefined
  /**
   * Whether each report names its message by `organization` and `messageSequence`. A send is then answered before
   * its outcome is written. @defaultValue `false`: reports may name it by `gatewayId`
   */
  readonly reportsByReference?: boolean | undefined
  /** Time limit of an attempt. @defaultValue `"10 seconds"` */
  readonly timeout?: Duration | undefined
  /** The channels that the gateway carries, in a list of gateways. @defaultValue all channels */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Maximum number of messages a second, for each node. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /** Pause between two messages to one recipient, for each node. @defaultValue `"0 seconds"` */
  readonly recipientPause?: Duration | undefined
}

/** A gateway to a vendor, made by one of the functions of `countersign/gateways`. */
export interface VendorGateway<Name extends string = string> {
  /** The name in routes, in reports and in the log. */
  readonly name: Name
  /** The interface of the gateway: `twilio`, `kannel` and so on. */
  readonly vendor: string
}

/** The options of all vendors: the options of the adapters, and the rates that the engine keeps. */
export interface VendorOptions extends CommonOptions {
  /** Maximum number of messages a second, for each node. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /**
   * Pause between two messages to one recipient, for each node.
   *
   * @defaultValue `"6 seconds"` for WhatsApp Cloud, otherwise `"0 seconds"`
   */
  readonly recipientPause?: Duration | undefined
}

/** The name of a gateway, whose literal type reaches the routes. */
export interface Named<Name extends string> {
  /** Name of the gateway. Two accounts with one vendor need different names. @defaultValue the vendor's name */
  readonly name?: Name | undefined
}

/** Creates a gateway to a vendor. `createCountersign` checks the options. `Default`: its name without the option `name`. */
export type Vendor<Options, Default extends string = string> = <
  const Name extends string = Default,
>(
  options: Options & VendorOptions & Named<Name>,
) => VendorGateway<Name>

/**
 * A gateway that is written with Effect: the service `Gateway` of `@countersign/core`, such as the gateway of
 * `createInbox`.
 */
export interface EffectGateway<Name extends string = string> {
  /** The name in routes, in reports and in the log. */
  readonly name: Name
  readonly capabilities: { readonly timeoutMillis: number }
}

/** A gateway of your own, one from `countersign/gateways`, or one that is written with Effect. */
export type AnyGateway<Name extends string = string> =
  | Gateway<Name>
  | VendorGateway<Name>
  | EffectGateway<Name>

/** A gateway for each channel. Both can be the same gateway. */
export interface Gateways<Name extends string = string> {
  /** Carries messages over SMS. */
  readonly sms?: AnyGateway<Name> | undefined
  /** Carries messages over WhatsApp. */
  readonly whatsapp?: AnyGateway<Name> | undefined
}

/** A list of gateways, or one for each channel. */
export type GatewayList<Name extends string = string> =
  | Gateways<Name>
  | ReadonlyArray<AnyGateway<Name>>

/** How the engine chooses among several gateways, and how it treats failing ones. */
export interface RoutingOptions<Name extends string = string> {
  /**
   * Which gateway may carry which messages.
   * @defaultValue each gateway carries all messages that it can, in the order of the list
   */
  readonly routes?: ReadonlyArray<Route<Name>> | undefined
  /** How long a message is tried again after all gateways have been tried. @defaultValue `"10 seconds"` */
  readonly retryFor?: Duration | undefined
  /** Number of consecutive failures after which a gateway is paused. @defaultValue 5 */
  readonly pauseAfter?: number | undefined
  /** How long a failing gateway is paused. @defaultValue 5 seconds, doubled each time, to at most 5 minutes */
  readonly pause?: Duration | undefined
  /** How long a gateway is paused after it has refused the account. @defaultValue `"5 minutes"` */
  readonly accountPause?: Duration | undefined
  /** How long the engine remembers that a phone number is not on WhatsApp. @defaultValue `"1 day"` */
  readonly rememberNotOnWhatsApp?: Duration | undefined
}
