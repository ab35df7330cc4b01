/**
 * Plain data about the host and its gateways.
 */
import type { Channel, MessageReport } from "./Data.ts"
import type { Duration } from "../domain/values/DurationText.ts"
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"

/** A gateway of this process, with its health. */
export interface GatewayState extends Pick<GatewayHealth, "gateway" | "state"> {
  /** The message of its last failure; `null` while it is available. */
  readonly reason: string | null
  /** The channels of the messages that it may carry. */
  readonly channels: ReadonlyArray<Channel>
  /** How it reports on accepted messages. `none`: accepted counts as delivered. */
  readonly reports: "signed" | "unsigned" | "polled" | "none"
  /** Whether it sends one message for a token, however often it is tried. */
  readonly honoursToken: boolean
  /** Whether it can look up the outcome of a message. */
  readonly lookup: boolean
  /** Whether it can tell if a number is on WhatsApp. */
  readonly recipientCheck: boolean
  /** Time limit of an attempt. */
  readonly timeout: Duration
  /** Maximum number of messages a second, for each process; `null`: unlimited. */
  readonly perSecond: number | null
  /** Pause between two messages to one recipient, for each process. */
  readonly recipientPause: Duration
}

/** A gateway's report on a message that is not known. It is kept for seven days, in case the message becomes known. */
export interface UnmatchedReport extends Pick<
  MessageReport,
  "gateway" | "receivedAt" | "status" | "detail"
> {
  /** The gateway's id of the message. Digits that may be a phone number are masked. */
  readonly gatewayId: string
}

/** A page of reports on unknown messages. */
export interface UnmatchedReports {
  readonly reports: ReadonlyArray<UnmatchedReport>
  /** The `cursor` of the next page; `null` after the last page. */
  readonly next: string | null
}
