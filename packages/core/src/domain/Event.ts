/**
 * Events for the host. The process that committed or observed a change raises its events, after the commit.
 */
import type { GatewayHealth } from "./GatewayHealth.ts"
import type { Channel } from "./Channel.ts"
import type { OrganizationId } from "./Ids.ts"
import type { Status } from "./Message.ts"
import type { Money } from "./Money.ts"
import type { Finding } from "./PrefixStats.ts"
import type { Verification } from "./Verification.ts"

/** `purpose` and `metadata` are the host's, from the send. */
type OfRequest = Pick<Verification, "requestId" | "phoneNumber" | "purpose" | "metadata">

interface Organizational {
  /** A code was sent to the gateway, which did not reject it. */
  readonly VerificationSent: OfRequest & { readonly channel: Channel }
  /** The right code was given. Raised once per request, even if the code is checked again. */
  readonly Verified: OfRequest
  /** A request has failed: its attempts are used up, its code could not be sent, or it was cancelled. */
  readonly Failed: OfRequest & { readonly reason: "attempts" | "sending" | "cancelled" }
  /** A verification was consumed: exactly one caller may act on it. */
  readonly Consumed: OfRequest
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
