/**
 * Plain data of events.
 */
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"
import type { ApiKey, Brand, Channel, FraudFinding, LogEntry, OfOrganization } from "./Data.ts"
import type { RefusalCount } from "./RefusalData.ts"
import type { Metadata } from "./VerificationData.ts"

/** How many rows of each kind an erasure has changed. */
export interface ErasedCounts {
  readonly messages: number
  readonly verifications: number
  readonly reports: number
  readonly events: number
  /** Stored answers of calls with idempotency keys. */
  readonly answers: number
  /** Refused calls. */
  readonly refusals: number
}

interface About<Type extends string> {
  readonly type: Type
  readonly organization: string
  readonly at: Date
  /** The position in the organization's event log, from 1 without gaps. `undefined` if the log is off. */
  readonly sequence?: number
}

interface AboutVerification<Type extends string> extends About<Type> {
  readonly requestId: string
  readonly phoneNumber: string
  readonly purpose: string | null
  readonly metadata: Metadata | null
}

interface AboutMessage<Type extends string> extends About<Type> {
  /** The `sequence` of the log entry. */
  readonly messageSequence: number
}

interface AboutBooking<Type extends string> extends About<Type> {
  /** A decimal; negative if an adjustment has lowered the balance. */
  readonly amount: string
  /** The balance after the change. */
  readonly balance: string
  readonly note: string | null
}

interface AboutWebhook<Type extends string> extends About<Type> {
  readonly webhookId: string
}

/** An event of an organization. */
export type OrganizationEvent =
  | (AboutVerification<"verification_sent"> & { readonly channel: Channel })
  | AboutVerification<"verified">
  | (AboutVerification<"verification_failed"> & { readonly reason: "attempts" | "sending" })
  | AboutVerification<"verification_cancelled">
  /** A verified request was used up. */
  | AboutVerification<"verification_consumed">
  | (AboutMessage<"message_settled"> & Pick<LogEntry, "channel" | "status">)
  | (AboutMessage<"refunded"> & { readonly amount: string })
  | AboutBooking<"topped_up">
  | AboutBooking<"adjusted">
  /** The balance has fallen below `balanceLowAt`, the `threshold`. */
  | (About<"balance_low"> & { readonly balance: string; readonly threshold: string })
  | (About<"fraud_suspected"> & FraudFinding)
  | (About<"api_key_created"> & { readonly key: Pick<ApiKey, "id" | "name" | "environment"> })
  | (About<"api_key_revoked"> & { readonly key: Pick<ApiKey, "id" | "name"> })
  /** A sender was added or changed. */
  | (About<"brand_changed"> & { readonly brand: Brand })
  /** A phone number was erased: this many rows no longer contain it. */
  | (About<"number_erased"> & ErasedCounts)
  /**
   * Calls were refused since the event before this one. The option `records.refusalEvents` switches it on. Each node
   * raises one a minute at most, with the most frequent causes.
   */
  | (About<"calls_refused"> & { readonly refusals: ReadonlyArray<RefusalCount> })
  /** The named settings have other values now. */
  | (About<"settings_changed"> & {
      readonly settings: ReadonlyArray<
        | "name"
        | "allowList"
        | "limits"
        | "isSuspended"
        | "balanceLowAt"
        | "blockedPrefixes"
        | "allowedPrefixes"
      >
    })
  | AboutWebhook<"webhook_created">
  /** A webhook has another address, filter or secret, or was enabled or disabled. */
  | AboutWebhook<"webhook_changed">
  | AboutWebhook<"webhook_removed">
  /** The deliveries have ended until a replay. `failed`: an event was not delivered in three days. */
  | (AboutWebhook<"webhook_failing"> & { readonly reason: "failed" | "gone" })

/** A change that this process has committed. */
export type Event =
  | OrganizationEvent
  /** The health of a gateway has changed on this node. Only with routing over several gateways. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })

/** An event in the event log. Its phone number is masked. */
export type LoggedEvent = OrganizationEvent & { readonly sequence: number }

/** Selects a part of the event log: the events with a `sequence` above `after`, in order. */
export interface ReadEvents extends OfOrganization {
  /** @defaultValue 0 */
  readonly after?: number | undefined
  /** 1 to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined
}

/** A part of the event log. */
export interface EventPage {
  readonly events: ReadonlyArray<LoggedEvent>
  /** The `sequence` of the oldest event that retention has kept. */
  readonly first: number
  /** The `sequence` of the newest event; 0 before the first. */
  readonly last: number
}
