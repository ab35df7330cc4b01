/**
 * Plain data of what has happened to a message or a request.
 */
import type { Channel, Message, MessageReport, MessageStatus } from "./Data.ts"
import type { FoundVerification, Verification } from "./VerificationData.ts"

interface OfMessage {
  /** The position of the message in the log. */
  readonly messageSequence: number
}

interface OfGateway extends OfMessage {
  readonly gateway: string
}

interface Problem extends OfGateway, Pick<Message, "failureReason" | "vendorCode"> {
  /** The text of the vendor. */
  readonly reason: string | null
}

interface Amount extends OfMessage {
  /** A decimal. */
  readonly amount: string
}

interface TimelineKinds {
  /** A request for a code. */
  readonly requested: { readonly purpose: string | null; readonly expiresAt: Date }
  /** A caller had the code sent again, with this message. */
  readonly resent: OfMessage
  /** The code was sent by SMS, because the message before did not arrive. */
  readonly fallback: OfMessage
  /** The code was sent again. It is not known whether a caller requested it. */
  readonly sent_again: OfMessage
  /** The message was written to the log. */
  readonly created: OfMessage & { readonly channel: Channel; readonly sender: string }
  /** The price was reserved. */
  readonly held: Amount
  /** The dispatch to the gateway. Number 2 and up: a node stopped, and another one took the message over. */
  readonly attempt: OfMessage & { readonly attempt: number }
  readonly accepted: OfGateway & { readonly gatewayId: string | null }
  /** The gateway gave no clear answer: the message may or may not arrive. */
  readonly unconfirmed: Problem
  /** A delivery report. `contradicts`: it came after another final outcome, and moved no money. */
  readonly report: OfGateway &
    Pick<MessageReport, "status" | "detail"> & { readonly contradicts: boolean }
  /** The last contradiction, if no report of these contradicts. */
  readonly contradicted: OfMessage & { readonly reason: string | null }
  /** The outcome became final. `unknown`: no report came before the deadline. */
  readonly settled: Problem & { readonly status: MessageStatus }
  /** The price was charged for good. */
  readonly captured: Amount
  /** The price was given back. */
  readonly refunded: Amount
  /** `count`: the difference to the number of attempts that a new request has now. */
  readonly wrong_codes: { readonly count: number; readonly attemptsRemaining: number }
  readonly verified: object
  readonly consumed: object
  /** `reason` is `null` if it is not known; the request may have been cancelled then. */
  readonly failed: { readonly reason: "attempts" | "sending" | null }
  readonly cancelled: object
  readonly expired: object
}

/**
 * One thing that has happened. `at` is `null` if its time is not known; the entry is at its place nevertheless.
 */
export type TimelineEntry = {
  readonly [K in keyof TimelineKinds]: {
    readonly kind: K
    readonly at: Date | null
  } & TimelineKinds[K]
}[keyof TimelineKinds]

/** What has happened to a message. */
export interface MessageHistory {
  readonly message: Message
  /** The first 20 reports on the message, in the order of their arrival. */
  readonly reports: ReadonlyArray<MessageReport>
  /** In order of time. */
  readonly timeline: ReadonlyArray<TimelineEntry>
}

/** What has happened to a request. */
export interface VerificationHistory {
  readonly verification: Verification
  /** The messages with the code that are in the log, oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** In order of time. */
  readonly timeline: ReadonlyArray<TimelineEntry>
}

/** The same with the request as one record, as the admin API has it. */
export interface FoundHistory extends Omit<VerificationHistory, "verification"> {
  readonly verification: FoundVerification
}
