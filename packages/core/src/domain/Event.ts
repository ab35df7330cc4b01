/**
 * Events for the host. The process that committed or observed a change raises its events, after the commit.
 */
import type { GatewayHealth } from "./GatewayHealth.ts"
import type { Channel } from "./Channel.ts"
import type { OrganizationId, RequestId } from "./Ids.ts"
import type { Status } from "./Message.ts"
import type { Money } from "./Money.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"
import type { Finding } from "./PrefixStats.ts"

interface OfRequest {
  readonly requestId: RequestId
  readonly phoneNumber: PhoneNumber
}

interface Organizational {
  /** A code was sent to the gateway, which did not reject it. */
  readonly VerificationSent: OfRequest & { readonly channel: Channel }
  /** The right code was given. Raised once per request, even if the code is checked again. */
  readonly Verified: OfRequest
  /** A request has failed: its attempts are used up, or its code could not be sent. */
  readonly Failed: OfRequest & { readonly reason: "attempts" | "sending" }
  /** A message has its final outcome. */
  readonly MessageSettled: {
    readonly messageSequence: number
    readonly channel: Channel
    readonly status: Status
  }
  /** The price of a message was given back. */
  readonly Refunded: { readonly messageSequence: number; readonly amount: Money }
  /** Codes for one prefix have become suspicious. Raised once per reason and window of the rules. */
  readonly FraudSuspected: Finding
}

/** An event of an organization; `at` is in epoch milliseconds. */
type OfOrganization = {
  readonly [K in keyof Organizational]: {
    readonly _tag: K
    readonly organization: OrganizationId
    readonly at: number
  } & Organizational[K]
}[keyof Organizational]

/** The health of a gateway has changed on this node. Belongs to no organization. */
type GatewayHealthChanged = GatewayHealth & {
  readonly _tag: "GatewayHealthChanged"
  /** Epoch milliseconds. */
  readonly at: number
}

export type Event = OfOrganization | GatewayHealthChanged
