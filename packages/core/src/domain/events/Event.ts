/**
 * Events for the host. The process that committed or observed a change raises its events, after the commit. The
 * commit itself stores them as `LoggedEvent`.
 */
import type { ApiKey } from "../access/ApiKey.ts"
import type { Brand } from "../messages/Brand.ts"
import type { GatewayHealth } from "../messages/GatewayHealth.ts"
import type { Channel } from "../values/Channel.ts"
import type { OrganizationId, WebhookId } from "../values/Ids.ts"
import type { Status } from "../messages/Message.ts"
import type { Money } from "../values/Money.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"
import type { Finding } from "../fraud/PrefixStats.ts"
import type { CausedCount } from "../verifications/Refusal.ts"
import type { Verification } from "../verifications/Verification.ts"

/** `purpose` and `metadata` are the host's, from the send. */
interface OfRequest<Phone> extends Pick<Verification, "requestId" | "purpose" | "metadata"> {
  readonly phoneNumber: Phone
}

interface OfMessage {
  readonly messageSequence: number
}

/** A change of the balance by the host. */
interface OfBooking {
  readonly amount: Money
  /** The balance after the change. */
  readonly balance: Money
  readonly note: string | null
}

interface OfWebhook {
  readonly webhookId: WebhookId
}

/** How many rows of each kind an erasure has changed. */
export interface ErasedCounts {
  readonly messages: number
  readonly verifications: number
  readonly reports: number
  readonly events: number
  /** Stored answers of calls with idempotency keys. */
  readonly answers: number
  readonly refusals: number
}

interface Organizational<Phone> {
  /** A code was sent to the gateway, which did not reject it. */
  readonly VerificationSent: OfRequest<Phone> & { readonly channel: Channel }
  /** The right code was given. Raised once per request, even if the code is checked again. */
  readonly Verified: OfRequest<Phone>
  /** A request has failed: its attempts are used up, or its code could not be sent. */
  readonly Failed: OfRequest<Phone> & { readonly reason: "attempts" | "sending" }
  /** A pending request was cancelled. */
  readonly Cancelled: OfRequest<Phone>
  /** A verification was consumed: exactly one caller may act on it. */
  readonly Consumed: OfRequest<Phone>
  /** A message has its final outcome. */
  readonly MessageSettled: OfMessage & { readonly channel: Channel; readonly status: Status }
  /** The price of a message was given back. */
  readonly Refunded: OfMessage & { readonly amount: Money }
  readonly ToppedUp: OfBooking
  /** The host has corrected the balance. A negative `amount` lowers it. */
  readonly Adjusted: OfBooking
  /** The balance has fallen below the organization's threshold. Raised again once it was above it. */
  readonly BalanceLow: { readonly balance: Money; readonly threshold: Money }
  /** Codes for one prefix have become suspicious. Raised once per reason and window of the rules. */
  readonly FraudSuspected: Omit<Finding, "organization" | "at">
  readonly KeyCreated: { readonly key: Pick<ApiKey, "id" | "name" | "environment"> }
  readonly KeyRevoked: { readonly key: Pick<ApiKey, "id" | "name"> }
  /** A sender was added or changed. */
  readonly BrandChanged: { readonly brand: Brand }
  /** A phone number was erased: this many rows no longer contain it. */
  readonly NumberErased: ErasedCounts
  /** Calls were refused since the event before this one. Not raised by default, and at most once a minute by each node. */
  readonly CallsRefused: { readonly refusals: ReadonlyArray<CausedCount> }
  /** Some of the organization's settings have other values now. */
  readonly SettingsChanged: { readonly settings: ReadonlyArray<Setting> }
  readonly WebhookCreated: OfWebhook
  /** A webhook has another address, filter or secret, or was enabled or disabled. */
  readonly WebhookChanged: OfWebhook
  readonly WebhookRemoved: OfWebhook
  /**
   * The deliveries of a webhook have ended until a replay. `failed`: an event was not delivered in three days.
   * `gone`: the receiver has answered 410.
   */
  readonly WebhookFailing: OfWebhook & { readonly reason: "failed" | "gone" }
}

/** The parts of an organization whose changes are `SettingsChanged`. */
export const settings = [
  "name",
  "allowList",
  "limits",
  "isSuspended",
  "balanceLowAt",
  "blockedPrefixes",
  "allowedPrefixes",
] as const

export type Setting = (typeof settings)[number]

/** `at` is in epoch milliseconds. */
type Of<Phone> = {
  readonly [K in keyof Organizational<Phone>]: {
    readonly _tag: K
    readonly organization: OrganizationId
    readonly at: number
  } & Organizational<Phone>[K]
}[keyof Organizational<Phone>]

/** An event of an organization. `Phone`: how it shows a phone number. */
export type OrganizationEvent<Phone = PhoneNumber.PhoneNumber> = Of<Phone> & {
  /** The position in the organization's event log. `undefined`: the log is off. */
  readonly sequence?: number
}

/** An event in the organization's event log, with a masked phone number. */
export type LoggedEvent = Of<string> & {
  /** 1 for the organization's first event; has no gaps. */
  readonly sequence: number
}

/** The health of a gateway has changed on this node. Belongs to no organization. */
type GatewayHealthChanged = GatewayHealth & {
  readonly _tag: "GatewayHealthChanged"
  /** Epoch milliseconds. */
  readonly at: number
}

export type Event = OrganizationEvent | GatewayHealthChanged

/** The event as the log keeps it. */
export const logged = (self: OrganizationEvent, sequence: number): LoggedEvent =>
  "phoneNumber" in self
    ? { ...self, sequence, phoneNumber: PhoneNumber.mask(self.phoneNumber) }
    : { ...self, sequence }

/** The event without its number and the host's words. `phoneNumber` is the number that is erased. */
export const erase = (self: LoggedEvent, phoneNumber: PhoneNumber.PhoneNumber): LoggedEvent =>
  "phoneNumber" in self
    ? { ...self, phoneNumber: PhoneNumber.erase(phoneNumber), purpose: null, metadata: null }
    : self
