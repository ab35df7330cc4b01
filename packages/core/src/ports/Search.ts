/**
 * Searches the log of an organization, from the newest message to the oldest. A search examines a limited number of
 * messages. So a page costs the same in a log of any length and for a filter that matches rarely.
 */
import type { Entry } from "../domain/money/Account.ts"
import type { Total } from "../domain/money/Total.ts"
import type { LoggedEvent } from "../domain/events/Event.ts"
import type { ErrorCode } from "../domain/errors/ErrorCode.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import type { Message, Status } from "../domain/messages/Message.ts"
import type { Channel } from "../domain/values/Channel.ts"
import type { FailureReason } from "../domain/values/FailureReason.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Refusal } from "../domain/verifications/Refusal.ts"
import type { Progress, Verification } from "../domain/verifications/Verification.ts"

/** The messages that a search examines, and how many of them. */
export interface Search {
  /** Examines the messages to this number only, which the store finds directly. `undefined`: all messages. */
  readonly phoneNumber: PhoneNumber | undefined
  /** Epoch milliseconds, inclusive; `undefined`: no bound. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Examines the messages with a lower sequence. `undefined`: begins with the newest message. */
  readonly before: number | undefined
  /** Maximum number of rows in the page. */
  readonly limit: number
  /** Maximum number of messages that the search examines. */
  readonly examine: number
}

/** Selects messages. A field that is `undefined` selects all. */
export interface MessageSearch extends Search {
  readonly statuses: ReadonlyArray<Status>
  readonly gateway: string | undefined
  readonly gatewayId: string | undefined
  readonly channel?: Channel | undefined
  readonly sender?: string | undefined
  readonly batch?: string | undefined
  readonly reasons?: ReadonlyArray<FailureReason> | undefined
}

/** Selects requests. A request is at the place of its first message, which never changes. */
export interface VerificationSearch extends Search {
  /** The stored statuses: a request that has expired is `pending`. */
  readonly statuses: ReadonlyArray<Progress["status"]>
  /** The channel of the newest message. */
  readonly channel?: Channel | undefined
  readonly purpose?: string | undefined
  /** Statuses of the newest message. Selects no request whose newest message retention has dropped. */
  readonly deliveries?: ReadonlyArray<Status> | undefined
}

/** Whether a request is selected, apart from its place in the log. `delivery`: the status of its newest message. */
export const selectsRequest = (
  { channel, deliveries, purpose, statuses }: Omit<VerificationSearch, keyof Search>,
  request: Verification,
  delivery: Status | undefined,
): boolean =>
  statuses.includes(request.status) &&
  (channel === undefined || channel === request.channel) &&
  (purpose === undefined || purpose === request.purpose) &&
  (deliveries === undefined || (delivery !== undefined && deliveries.includes(delivery)))

/** A page of a search. */
export interface Found<out A> {
  /** The account's version at the time of reading. */
  readonly version: number
  /** Newest first. There may be fewer than `limit`, or none, although there is a next page. */
  readonly rows: ReadonlyArray<A>
  /** `before` of the next page; `undefined` if every message was examined. */
  readonly next: number | undefined
}

/** As `Store.verification`: shows a request as expired only after its expiry is durable. */
export interface FoundVerifications extends Found<Verification> {
  /** The time at which the states of the requests are to be read. */
  readonly now: number
  /** The status of the newest message of each request, without those that retention has dropped. */
  readonly deliveries: ReadonlyMap<RequestId, Status>
}

/** Whether a message is selected, apart from its phone number and time. */
export const selects = (
  {
    batch,
    channel,
    gateway,
    gatewayId,
    reasons,
    sender,
    statuses,
  }: Omit<MessageSearch, keyof Search>,
  message: Message,
): boolean =>
  statuses.includes(message.status) &&
  (channel === undefined || channel === message.channel) &&
  (sender === undefined || sender === message.sender) &&
  (batch === undefined || batch === message.batch) &&
  (reasons === undefined ||
    (message.failureReason !== null && reasons.includes(message.failureReason))) &&
  (gateway === undefined || gateway === message.gateway) &&
  (gatewayId === undefined || gatewayId === message.gatewayId)

/** Selects kept refusals, of which there are at most `Refusal.maxKept`. A field that is `undefined` selects all. */
export interface RefusalSearch {
  /** Digests of a phone number under all secrets. */
  readonly digests: Digests | undefined
  readonly codes: ReadonlyArray<ErrorCode> | undefined
  /** Epoch milliseconds, inclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Selects the refusals with a lower sequence. */
  readonly before: number | undefined
  readonly limit: number
}

export const selectsRefusal = (
  { before = Infinity, codes, digests, from = -Infinity, to = Infinity }: RefusalSearch,
  { at, code, digest, sequence }: Refusal,
): boolean =>
  sequence < before &&
  at >= from &&
  at <= to &&
  (codes === undefined || codes.includes(code)) &&
  (digests === undefined || (digest !== null && digests.includes(digest)))

/**
 * Selects the ledger entries and the events that concern some messages or a request. Neither log is indexed by them, so
 * a read examines a limited number of rows, from a time on.
 */
export interface TraceQuery {
  /** Epoch milliseconds, inclusive. */
  readonly from: number
  /** Selects entries and events by their `messageSequence`. */
  readonly messages: ReadonlyArray<number>
  /** Selects events by their `requestId`. */
  readonly requestId: RequestId | null
  /** Maximum number of entries, and of events, that the read examines. */
  readonly examine: number
}

export interface Trace {
  /** In ascending order, like the events. */
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<LoggedEvent>
  /** All rows from `from` to this time, exclusive, were examined. `undefined`: also all later rows. */
  readonly until: number | undefined
}

/** The earlier end of two reads. */
export const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** Selects a page of an organization's log, newest first. */
export interface MessageQuery {
  /** Epoch milliseconds, inclusive; `undefined`: no bound. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Number of the newest matching messages to skip. */
  readonly skip: number
  readonly limit: number
}

export interface MessagePage {
  /** The account's version at the time of reading. */
  readonly version: number
  /** Exact number of matching messages. */
  readonly total: number
  readonly messages: ReadonlyArray<Message>
}

/** Selects totals of the slots that begin in a period. */
export interface TotalQuery {
  readonly kinds: ReadonlyArray<Total["kind"]>
  /** Epoch milliseconds, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Length of the slots: a quarter of an hour or a UTC day. */
  readonly slotMillis: number
  /**
   * Starts of longer slots into which the quarters are added up. They ascend, and the first is `from`.
   * @defaultValue the slots are not added up
   */
  readonly starts?: ReadonlyArray<number> | undefined
}
