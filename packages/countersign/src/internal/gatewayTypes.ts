/**
 * Who carries messages: gateways written with promises, gateways to vendors, and how one of them is chosen.
 */
import type { Channel } from "./types.ts"
import type { VendorGateway } from "./vendorTypes.ts"

/** A message to carry. */
export interface OutgoingMessage {
  /** The same for every attempt at one message: a vendor that honours it sends once. */
  readonly token: string
  /** With `sequence`, what reports may call it by where the vendor gives back what it is given. */
  readonly organization: string
  /** Its place in the log of the organization, from 1 on. */
  readonly sequence: number
  readonly purpose: "message" | "verification"
  readonly channel: Channel
  /** E.164 with its plus. */
  readonly to: string
  readonly sender: string
  /** The only place, with `code`, where a code is found in clear: keep it out of your logs. */
  readonly text: string
  /** The code that the text holds, for channels that fill it into a template of their own. */
  readonly code?: string | undefined
  /** The language of a code's text, `en-us`; where `code` is. */
  readonly locale?: string | undefined
}

/** The answer to one attempt. */
export type GatewayOutcome =
  /** Taken; a report follows if the gateway reports at all. `gatewayId` is its own name for the message. */
  | { readonly status: "accepted"; readonly gatewayId: string }
  /** Taken, and known to have arrived. */
  | { readonly status: "delivered"; readonly gatewayId: string }
  /** Refused in a way that the vendor documents as final: nothing was or will be sent. */
  | {
      readonly status: "rejected"
      readonly reason: "recipient" | "content" | "sender" | "account"
      readonly message: string
      /** The vendor's documented word for a recipient who is not on the channel. */
      readonly unreachable?: boolean | undefined
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

/** A message that a gateway is asked about. */
export interface Inquiry extends Omit<OutgoingMessage, "text" | "code"> {
  /** Its name for the message, where it has taken it; `null` where nobody has seen the end of the attempt. */
  readonly gatewayId: string | null
}

/** What a gateway says of a message that it has taken. */
export interface Undelivered {
  readonly status: "undelivered"
  /** The vendor's words. */
  readonly message: string
}

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
  /**
   * Asks what became of a message: of one whose attempt nobody has seen the end of, and of one that is
   * still open at its deadline. `not_sent` says that the vendor has never had it; a throw is `unknown`,
   * and so it is when left out.
   */
  readonly lookup?: ((message: Inquiry) => Promise<GatewayOutcome | Undelivered>) | undefined
  /** A second attempt under the same token is not a second message; no when left out. */
  readonly honoursToken?: boolean | undefined
  /**
   * For how long the vendor gives a `gatewayId` to no other message, in milliseconds. After that time a
   * report on the id does not concern a message that is final. `@defaultValue Infinity`
   */
  readonly idMillis?: number | undefined
  /** Reports will be handed to `reports.receive`. Without them, accepted is delivered; no when left out. */
  readonly reports?: boolean | undefined
  /** How long an attempt may take; 10,000 when left out. */
  readonly timeoutMillis?: number | undefined
  /** What it carries, in a list of gateways; everything when left out. */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Messages a second, for each node; as many as come when left out. */
  readonly perSecond?: number | undefined
  /** Pause between two messages to one recipient, for each node; none when left out. */
  readonly pairMillis?: number | undefined
}

/** One of your own, or one of `countersign/gateways`. */
export type AnyGateway = Gateway | VendorGateway

/** One gateway for each channel, or the same one twice. */
export interface Gateways {
  readonly sms?: AnyGateway | undefined
  readonly whatsapp?: AnyGateway | undefined
}

/** Lets a gateway carry some messages. What is left out does not matter. */
export interface Route {
  /** The gateway's name. */
  readonly gateway: string
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Calling codes and more of the number: `880`, `88017`. One of them has to be its beginning. */
  readonly prefixes?: ReadonlyArray<string> | undefined
  /** What a recipient sees the message come from. */
  readonly senders?: ReadonlyArray<string> | undefined
  readonly organizations?: ReadonlyArray<string> | undefined
  readonly purposes?: ReadonlyArray<OutgoingMessage["purpose"]> | undefined
  /** Lower ones are asked first; 0 when left out. */
  readonly priority?: number | undefined
  /** The share among those of one priority that it is asked first; 1 when left out, 0 only as a last resort. */
  readonly weight?: number | undefined
}

/** How one of several gateways is chosen, and what happens to one that fails. */
export interface RoutingOptions {
  /** Each gateway carries what it can when left out, in the order of the list. */
  readonly routes?: ReadonlyArray<Route> | undefined
  /** For how long a message is tried again, once everybody was asked; 10 when left out. */
  readonly budgetSeconds?: number | undefined
  /** Failures in a row after which a gateway is left alone; 5 when left out. */
  readonly failures?: number | undefined
  /** For how long; twice as long each time, from 5 seconds to 5 minutes, when left out. */
  readonly leftAloneSeconds?: number | undefined
  /** How long a gateway that has refused the account is left alone; 300 when left out. */
  readonly barredSeconds?: number | undefined
  /** How long it is remembered that a number is not on WhatsApp; a day, 86,400, when left out. */
  readonly notOnWhatsAppSeconds?: number | undefined
}

/** How a gateway fares on this node. */
export interface GatewayHealth {
  readonly gateway: string
  /** `barred`: it has refused the account. `failing`: it has not answered, or could not be reached. */
  readonly state: "available" | "trying" | "failing" | "barred"
  /** What it has said, or has not, last when it failed; numbers and credentials are hidden in it. */
  readonly reason?: string | undefined
}
