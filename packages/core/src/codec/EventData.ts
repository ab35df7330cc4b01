/**
 * Plain data of events.
 */
import type { OrganizationEvent } from "../api/types/events.ts"
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"

export type * from "../api/types/events.ts"

/** A change that this process has committed. */
export type Event =
  | OrganizationEvent
  /** The health of a gateway has changed on this node. Only with routing over several gateways. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })

/** An event in the event log. Its phone number is masked. */
export type LoggedEvent = OrganizationEvent & { readonly sequence: number }

/** Selects a part of the event log: the events with a `sequence` above `after`, in order. */
export interface ReadEvents {
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
