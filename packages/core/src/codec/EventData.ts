/**
 * Plain data of events.
 */
import type { OrganizationEvent } from "../api/types/events.ts"
import type { Page, PageInput } from "../api/Page.ts"
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"

export type * from "../api/types/events.ts"

/** A change that this process has committed. */
export type Event =
  | OrganizationEvent
  /** The health of a gateway has changed on this node. Only with routing over several gateways. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })

/** An event in the event log. Its phone number is masked. */
export type LoggedEvent = OrganizationEvent & { readonly sequence: number }

/** A place in the event log. */
export interface FollowEvents {
  /** The `sequence` of the last event that you have. @defaultValue 0 */
  readonly after?: number | undefined
}

/** Selects a part of the event log: the events with a `sequence` above `after`, or from a cursor on, in order. */
export interface ListEvents extends FollowEvents, PageInput {}

/** A part of the event log. */
export interface EventPage extends Page<LoggedEvent> {
  /** The `sequence` of the oldest event that retention has kept. */
  readonly first: number
  /** The `sequence` of the newest event; 0 before the first. */
  readonly last: number
}
