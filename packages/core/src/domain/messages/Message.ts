/**
 * A message, from its charge to its final outcome.
 *
 * Its text and its price are written before the gateway is called. The first final outcome wins, from any
 * source. Later contradictions are recorded without moving money.
 */
import type { Channel, LogChannel } from "../values/Channel.ts"
import type { FailureReason } from "../values/FailureReason.ts"
import * as GatewayOutcome from "./GatewayOutcome.ts"
import type { MessageId, MessageRef, OrganizationId, RequestId } from "../values/Ids.ts"
import type { MessageClass } from "../values/MessageClass.ts"
import type { MessageStatus } from "./MessageStatus.ts"
import * as Money from "../values/Money.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"

export type Status = MessageStatus

/** The state of the charge: held until the outcome is known, then captured or released. */
export type Hold = "none" | "open" | "captured" | "released"

export interface Message {
  readonly organization: OrganizationId
  /** Position in the organization's log; 1 is the oldest. */
  readonly sequence: number
  readonly id: MessageId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The text in the log, in which a verification's code is masked. Empty if `Records` keeps no bodies. */
  readonly text: string
  readonly channel: Channel
  readonly logChannel: LogChannel
  readonly sender: string
  readonly class: MessageClass
  /** The batch that it belongs to. */
  readonly batch: string | null
  /** The verification request whose code the message carries. */
  readonly requestId: RequestId | null
  readonly status: Status
  readonly charge: Money.Money
  readonly hold: Hold
  readonly gateway: string
  readonly gatewayId: string | null
  /** The text of the vendor, or of the engine where no vendor was asked. */
  readonly error: string | null
  /** Why the message did not arrive, or why its outcome is not known. */
  readonly failureReason: FailureReason | null
  /** The vendor's code of the error. */
  readonly vendorCode: string | null
  /** Never decreases with `sequence`. Epoch milliseconds, like all times here. */
  readonly createdAt: number
  /** Number of the current or last dispatch; 1 for the first. */
  readonly dispatchNumber: number
  /**
   * Time of the next action: the end of the lease while `pending`, then the settlement deadline, then the end
   * of the time for a lookup. `null` when the outcome is final.
   */
  readonly dueAt: number | null
  /**
   * When another message has to carry the code, unless this one is delivered before; at `createdAt` if that is
   * certain. `null` if no message follows.
   */
  readonly followAt: number | null
  /** Deadline after which an open outcome is closed in the customer's favour. */
  readonly settleBy: number
  /** Number of reports that contradicted the outcome, and the last of them. */
  readonly anomalies: number
  readonly anomaly: string | null
  /** Number of reports on the message, counted up to `Report.maxCounted`. */
  readonly reports: number
  /** The span of the call that sent it, in the format of W3C. `null` if the call was not recorded. */
  readonly traceparent: string | null
}

/** A message that is to be charged, written to the log and dispatched. */
export interface NewMessage extends Pick<
  Message,
  | "id"
  | "text"
  | "channel"
  | "logChannel"
  | "sender"
  | "class"
  | "batch"
  | "charge"
  | "gateway"
  | "traceparent"
> {
  /** How long a dispatch may take before another node may take it over, in milliseconds. */
  readonly leaseMillis: number
  /** How long the outcome may stay open before the hold is released, in milliseconds. */
  readonly settleMillis: number
}

type Failure = Pick<Message, "error" | "failureReason" | "vendorCode">

const noFailure: Failure = { error: null, failureReason: null, vendorCode: null }

export const hold = (
  draft: NewMessage,
  to: Pick<Message, "organization" | "sequence" | "phoneNumber" | "requestId">,
  now: number,
): Message => ({
  organization: to.organization,
  sequence: to.sequence,
  id: draft.id,
  phoneNumber: to.phoneNumber,
  text: draft.text,
  channel: draft.channel,
  logChannel: draft.logChannel,
  sender: draft.sender,
  class: draft.class,
  batch: draft.batch,
  requestId: to.requestId,
  status: "pending",
  charge: draft.charge,
  hold: draft.charge > 0 ? "open" : "none",
  gateway: draft.gateway,
  gatewayId: null,
  ...noFailure,
  createdAt: now,
  dispatchNumber: 1,
  dueAt: now + draft.leaseMillis,
  followAt: null,
  settleBy: now + draft.settleMillis,
  anomalies: 0,
  anomaly: null,
  reports: 0,
  traceparent: draft.traceparent,
})

export const withoutText = (self: Message): Message =>
  self.text === "" ? self : { ...self, text: "" }

/** The id of a log entry, as callers see it: the message's id and its sequence, which is the primary key. */
export const logId = ({ id, sequence }: Pick<Message, "id" | "sequence">): string =>
  `${id}_${sequence}`

/** The sequence in the id of a log entry; `undefined` for text without one. */
export const sequenceIn = (entryId: string): number | undefined => {
  const digits = /_([1-9]\d{0,14})$/.exec(entryId)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The final price for the customer; zero for a refunded message. */
export const price = (self: Message): Money.Money =>
  self.hold === "released" ? Money.zero : self.charge

/** Whether a message ended without being sent: it was not sent, or the gateway rejected it. */
export const isUnsentStatus = (status: Status): boolean =>
  status === "failed" || status === "rejected"

/** Whether a message certainly does not arrive. */
export const isLostStatus = (status: Status): boolean =>
  isUnsentStatus(status) || status === "undelivered"

/** Whether the outcome is final. */
export const isClosed = (self: Message): boolean => self.dueAt === null

/** Time of the next action of settlement; `null` if nothing is left to do. */
export const nextAt = ({ dueAt, followAt }: Pick<Message, "dueAt" | "followAt">): number | null =>
  dueAt === null || followAt === null ? (dueAt ?? followAt) : Math.min(dueAt, followAt)

/**
 * Lets another message carry the code if this one is not delivered within `millis`.
 * `undefined`: no message follows.
 */
export const followWithin = (self: Message, millis: number | undefined, now: number): Message => {
  const isCode = self.requestId !== null
  if (!isCode || millis === undefined || self.status === "delivered") return withoutFollow(self)
  return { ...self, followAt: isClosed(self) ? self.createdAt : now + millis }
}

export const withoutFollow = (self: Message): Message =>
  self.followAt === null ? self : { ...self, followAt: null }

/** Whether the message no longer tells whom it went to and what it said. */
export const isErased = ({ phoneNumber }: Pick<Message, "phoneNumber">): boolean =>
  PhoneNumber.isErased(phoneNumber)

/**
 * The message without its number and text, and without the words and the id of the gateway, which may contain the
 * number. `undefined` while work is left, which needs them.
 */
export const erase = (self: Message): Message | undefined =>
  nextAt(self) !== null || self.hold === "open"
    ? undefined
    : {
        ...self,
        phoneNumber: PhoneNumber.erase(self.phoneNumber),
        text: "",
        gatewayId: null,
        error: null,
        vendorCode: null,
      }

/** The id that a gateway has given to a message. Its reports find the message by this id. */
export interface GatewayId extends MessageRef {
  readonly gateway: string
  readonly gatewayId: string
  /** When the gateway may reuse the id. From then on, it finds no final message. `null`: never. */
  readonly expiresAt: number | null
}

/**
 * The id that a change has given to a message; `undefined` without a new id, or if the message is final.
 * `idMillis` is how long the gateway's ids stay unique.
 * @defaultValue `idMillis`: Infinity
 */
export const newGatewayId = (
  before: Message,
  after: Message,
  idMillis: number | undefined = Infinity,
  now: number,
): GatewayId | undefined => {
  const { gateway, gatewayId, sequence, organization } = after
  if (gatewayId === null || isClosed(after)) return undefined
  if (gateway === before.gateway && gatewayId === before.gatewayId) return undefined
  const end = Math.ceil(now + idMillis)
  const expiresAt = Number.isSafeInteger(end) ? end : null
  return { organization, sequence, gateway, gatewayId, expiresAt }
}

/** A message after a change, and the effect on the money held for it. */
export interface Change {
  readonly message: Message
  readonly money: "keep" | "capture" | "release"
}

const unchanged = (message: Message): Change => ({ message, money: "keep" })

/**
 * The status of an open message after the outcome of its dispatch (`Accepted`, …) or a report (`accepted`,
 * …), by its status before. A status that is not here is final. Until a dispatch has its outcome, a report
 * cannot make its message `accepted`.
 */
export const transitions: Readonly<
  Record<
    GatewayOutcome.GatewayOutcome["_tag"] | GatewayOutcome.ReportStatus,
    Readonly<Partial<Record<Status, Status>>>
  >
> = {
  Accepted: { pending: "accepted", accepted: "accepted", unknown: "accepted" },
  Delivered: { pending: "delivered", accepted: "delivered", unknown: "delivered" },
  Rejected: { pending: "rejected", accepted: "rejected", unknown: "rejected" },
  Throttled: { pending: "failed", accepted: "failed", unknown: "failed" },
  NotSent: { pending: "failed", accepted: "failed", unknown: "failed" },
  Unknown: { pending: "unknown", accepted: "accepted", unknown: "unknown" },

  accepted: { pending: "pending", accepted: "accepted", unknown: "accepted" },
  delivered: { pending: "delivered", accepted: "delivered", unknown: "delivered" },
  undelivered: { pending: "undelivered", accepted: "undelivered", unknown: "undelivered" },
  failed: { pending: "failed", accepted: "failed", unknown: "failed" },
  rejected: { pending: "rejected", accepted: "rejected", unknown: "rejected" },
}

const next = (self: Message, cause: keyof typeof transitions): Status | undefined =>
  isClosed(self) ? undefined : transitions[cause][self.status]

const holdAfter = { capture: "captured", release: "released" } as const

/** Ends a message. Only this function resolves the hold. */
const close = (self: Message, status: Status, failure: Failure): Change => {
  const resolution = status === "delivered" ? "capture" : "release"
  const money = self.hold === "open" ? resolution : "keep"
  const hold = money === "keep" ? self.hold : holdAfter[money]
  const followAt = self.followAt !== null && isLostStatus(status) ? self.createdAt : self.followAt
  const message: Message = { ...self, ...failure, status, hold, dueAt: null, followAt }
  return { message: status === "delivered" ? withoutFollow(message) : message, money }
}

/** Gives an open message its next status. An accepted or delivered message has no error. */
const move = (self: Message, status: Status, problem: Failure): Change => {
  if (status === "delivered") return close(self, status, noFailure)
  const failure = status === "accepted" ? noFailure : problem
  if (status !== "accepted" && status !== "unknown") return close(self, status, failure)
  const dueAt = self.status === "pending" ? self.settleBy : self.dueAt
  return unchanged({ ...self, ...failure, status, dueAt })
}

const contradict = (self: Message, word: string): Change =>
  unchanged({ ...self, anomalies: self.anomalies + 1, anomaly: GatewayOutcome.errorText(word) })

/** Records the gateway that accepted the message, because its reports will come from there. */
const acceptedBy = (
  self: Message,
  { gateway = self.gateway, gatewayId }: GatewayOutcome.Acceptance,
): Message => ({
  ...self,
  gateway,
  gatewayId: GatewayOutcome.gatewayIdText(gatewayId),
})

/** The effect of a dispatch's outcome on a message that a report has already closed. */
const lateOutcome = (
  self: Message,
  outcome: GatewayOutcome.GatewayOutcome,
  isDelivered: boolean,
): Change => {
  const known =
    GatewayOutcome.isAccepted(outcome) && self.gatewayId === null && !isErased(self)
      ? acceptedBy(self, outcome)
      : self
  const contradicted = self.status === "delivered" ? GatewayOutcome.isUnsent(outcome) : isDelivered
  return contradicted ? contradict(known, `dispatch: ${outcome._tag}`) : unchanged(known)
}

/** Applies the outcome of a dispatch. Without `hasReports`, an accepted message counts as delivered. */
export const settle = (
  self: Message,
  outcome: GatewayOutcome.GatewayOutcome,
  hasReports: boolean,
): Change => {
  const isDelivered = outcome._tag === "Delivered" || (outcome._tag === "Accepted" && !hasReports)
  const status = next(self, isDelivered ? "Delivered" : outcome._tag)
  if (status === undefined) return lateOutcome(self, outcome, isDelivered)
  if (GatewayOutcome.isAccepted(outcome)) return move(acceptedBy(self, outcome), status, noFailure)
  const { gateway = self.gateway, message, vendorCode = null } = outcome
  const failureReason = GatewayOutcome.reasonOf(outcome)
  return move({ ...self, gateway }, status, {
    error: GatewayOutcome.errorText(message),
    failureReason,
    vendorCode,
  })
}

/** Applies a delivery report. Reports may come in any order and more than once. */
export const report = (
  self: Message,
  status: GatewayOutcome.ReportStatus,
  detail: string | null,
  reason?: FailureReason,
  vendorCode: string | null = null,
): Change => {
  const after = next(self, status)
  if (after !== undefined) {
    if (after === self.status) return unchanged(self)
    const failureReason = reason ?? "unknown"
    return move(self, after, {
      error: GatewayOutcome.errorText(detail ?? status),
      failureReason,
      vendorCode,
    })
  }
  return status === "accepted" || status === self.status
    ? unchanged(self)
    : contradict(self, `report: ${status}`)
}

/** Takes over a dispatch whose lease has ended; `undefined` if there is no such dispatch. */
export const reclaim = (self: Message, leaseMillis: number, now: number): Message | undefined =>
  self.status === "pending" && self.dueAt !== null && now >= self.dueAt
    ? { ...self, dispatchNumber: self.dispatchNumber + 1, dueAt: now + leaseMillis }
    : undefined

const isOverdue = (self: Message, now: number): boolean =>
  self.dueAt !== null && self.status !== "pending" && now >= self.settleBy

/**
 * Postpones the end of a message for its lookup; `undefined` if it is not to be looked up. A message that is
 * due later than its deadline has had its lookup.
 */
export const beginLookup = (self: Message, millis: number, now: number): Message | undefined =>
  isOverdue(self, now) && self.dueAt === self.settleBy && millis > 0
    ? { ...self, dueAt: now + millis }
    : undefined

/**
 * Closes a message whose outcome is still open at its deadline: the customer does not pay. A message under a
 * lookup stays open until the lookup has ended, `isLookedUp`, or its time is over.
 * @defaultValue `isLookedUp`: false
 */
export const expire = (self: Message, now: number, isLookedUp = false): Change | undefined =>
  isOverdue(self, now) && (isLookedUp || now >= (self.dueAt ?? 0))
    ? close(self, "unknown", {
        error: self.error ?? "No delivery report came in time",
        failureReason: self.failureReason ?? "no_report",
        vendorCode: self.vendorCode,
      })
    : undefined

/** A message as operations show it. */
export const shown = (self: Message) => ({ ...self, id: logId(self), price: price(self) })
