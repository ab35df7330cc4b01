/**
 * A message, from the moment it is paid for to its last word.
 *
 * Its text and its price are written before the gateway is called; the first
 * terminal outcome wins, whoever brings it, and later contradictions are kept
 * without moving money.
 */
import type { Channel, LogChannel } from "./Channel.ts"
import {
  errorText,
  gatewayIdText,
  type GatewayOutcome,
  isUnsent,
  type ReportStatus,
  type Taken,
} from "./GatewayOutcome.ts"
import type { MessageId, OrganizationId, RequestId } from "./Ids.ts"
import * as Money from "./Money.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

/** The truth so far. */
export type Status =
  /** Paid for, and being handed to the gateway. */
  | "pending"
  /** Taken by the gateway; reports will follow. */
  | "accepted"
  /** Arrived, or taken by a gateway that never reports. */
  | "delivered"
  /** Taken, and reported not to have arrived. */
  | "undelivered"
  /** Never left. */
  | "failed"
  /** Nobody can say. */
  | "unknown"
  /** Refused by the gateway. */
  | "rejected"

/** What became of the money: held until the outcome is known, then kept or given back. */
export type Hold = "none" | "open" | "captured" | "released"

export interface Message {
  readonly organization: OrganizationId
  /** Position in the organization's log; 1 is the oldest. */
  readonly sequence: number
  readonly id: MessageId
  readonly phoneNumber: PhoneNumber
  /** As logged: a verification's code is masked. */
  readonly text: string
  readonly channel: Channel
  readonly logChannel: LogChannel
  readonly sender: string
  /** The verification whose code this carries. */
  readonly verification: RequestId | null
  readonly status: Status
  readonly charge: Money.Money
  readonly hold: Hold
  readonly gateway: string
  readonly gatewayId: string | null
  readonly error: string | null
  /** Never goes down along `number`. Epoch milliseconds, as all times here. */
  readonly createdAt: number
  /** Which dispatch is under way or was the last one; 1 for the first. */
  readonly attempt: number
  /**
   * When somebody has to look at it again: the end of the dispatch's lease
   * while `pending`, the settlement deadline while the outcome is open, the end
   * of the time in which the gateway is asked after that, `null` when nothing is
   * open any more.
   */
  readonly dueAt: number | null
  /** When an outcome that is still open is closed in the customer's favour. */
  readonly settleBy: number
  /** How many reports contradicted the outcome, and the last of them. */
  readonly anomalies: number
  readonly anomaly: string | null
  /** How many reports have come in on it, as far as `Report.maxCounted`. */
  readonly reports: number
}

/**
 * The id of a log entry, as callers see it: the message's id and its number in the log. The number finds the
 * message by primary key, so no index of ids has to be kept up with every send.
 */
export const logId = ({ id, sequence }: Pick<Message, "id" | "sequence">): string =>
  `${id}_${sequence}`

/** The number in the id of a log entry; `undefined` for a text without one. */
export const sequenceIn = (entryId: string): number | undefined => {
  const digits = /_([1-9]\d{0,14})$/.exec(entryId)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** What the customer has paid in the end: nothing for a refunded message. */
export const price = (self: Message): Money.Money =>
  self.hold === "released" ? Money.zero : self.charge

/** Whether a message ended without being sent: it never left, or the gateway refused it. */
export const isUnsentStatus = (status: Status): boolean =>
  status === "failed" || status === "rejected"

/** Whether the outcome is final. */
export const isClosed = (self: Message): boolean => self.dueAt === null

/** The id that a gateway has given to a message, by which its reports find the message. */
export interface GatewayId {
  readonly organization: OrganizationId
  /** The message's position in the log. */
  readonly sequence: number
  readonly gateway: string
  readonly gatewayId: string
  /**
   * From when on the gateway may give the id to another message, so that it does not find this one once
   * that is final. `null` for never.
   */
  readonly expiresAt: number | null
}

/**
 * The id that a change has given to a message; `undefined` if the change gives no new one, or if the
 * message is final, so that no report can change it. `idMillis` is how long the gateway's ids stay unique.
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

/** A message after a change, and what has to happen to the money held for it. */
export interface Change {
  readonly message: Message
  readonly money: "keep" | "capture" | "release"
}

const unchanged = (message: Message): Change => ({ message, money: "keep" })

/** Ends a message: the hold, if there is one, is resolved here and nowhere else. */
const close = (self: Message, status: Status, delivered: boolean): Change => ({
  message: {
    ...self,
    status,
    dueAt: null,
    hold: self.hold === "open" ? (delivered ? "captured" : "released") : self.hold,
  },
  money: self.hold === "open" ? (delivered ? "capture" : "release") : "keep",
})

const contradict = (self: Message, word: string): Change =>
  unchanged({ ...self, anomalies: self.anomalies + 1, anomaly: errorText(word) })

/** Under the name of whoever took it: reports will come from there. */
const takenBy = (self: Message, { gateway = self.gateway, gatewayId }: Taken): Message => ({
  ...self,
  gateway,
  gatewayId: gatewayIdText(gatewayId),
  error: null,
})

/** What a dispatch's outcome is worth when the message was closed by a report that came first. */
const lateOutcome = (self: Message, outcome: GatewayOutcome): Change => {
  const isTaken = outcome._tag === "Accepted" || outcome._tag === "Delivered"
  const known =
    isTaken && self.gatewayId === null ? { ...takenBy(self, outcome), error: self.error } : self
  const contradicted =
    (outcome._tag === "Delivered" && self.status !== "delivered") ||
    (isUnsent(outcome) && self.status === "delivered")
  return contradicted ? contradict(known, `dispatch: ${outcome._tag}`) : unchanged(known)
}

/**
 * Takes in the outcome of a dispatch. `reports` says whether the gateway will
 * report on what it has accepted.
 */
export const settle = (self: Message, outcome: GatewayOutcome, reports: boolean): Change => {
  if (isClosed(self)) return lateOutcome(self, outcome)
  switch (outcome._tag) {
    case "Accepted": {
      const taken = takenBy(self, outcome)
      return reports
        ? unchanged({ ...taken, status: "accepted", dueAt: self.settleBy })
        : close(taken, "delivered", true)
    }
    case "Delivered":
      return close(takenBy(self, outcome), "delivered", true)
    case "Rejected":
      return close({ ...self, error: errorText(outcome.message) }, "rejected", false)
    case "Throttled":
    case "NotSent":
      return close({ ...self, error: errorText(outcome.message) }, "failed", false)
    case "Unknown":
      // A report has said more already, or the outcome is written down a second time.
      if (self.status === "accepted") return unchanged(self)
      return unchanged({
        ...self,
        status: "unknown",
        error: errorText(outcome.message),
        dueAt: self.settleBy,
      })
  }
}

/** Takes in a delivery report, in whatever order and however often reports come. */
export const report = (self: Message, status: ReportStatus, detail: string | null): Change => {
  if (isClosed(self)) {
    return status === "accepted" || status === self.status
      ? unchanged(self)
      : contradict(self, `report: ${status}`)
  }
  switch (status) {
    case "accepted":
      // While the dispatch is under way its own outcome decides what follows.
      return unchanged(
        self.status === "pending" ? self : { ...self, status: "accepted", error: null },
      )
    case "delivered":
      return close({ ...self, error: null }, "delivered", true)
    case "undelivered":
    case "failed":
    case "rejected":
      return close({ ...self, error: errorText(detail ?? status) }, status, false)
  }
}

/** Takes over a dispatch whose lease has run out; `undefined` when there is nothing to take over. */
export const reclaim = (self: Message, leaseMillis: number, now: number): Message | undefined =>
  self.status === "pending" && self.dueAt !== null && now >= self.dueAt
    ? { ...self, attempt: self.attempt + 1, dueAt: now + leaseMillis }
    : undefined

const isOverdue = (self: Message, now: number): boolean =>
  self.dueAt !== null && self.status !== "pending" && now >= self.settleBy

/**
 * Puts the end of a message off for as long as its gateway is asked what became of it. That is done once:
 * a message that is due after its deadline has been asked about. `undefined` when there is nothing to ask.
 */
export const ask = (self: Message, millis: number, now: number): Message | undefined =>
  isOverdue(self, now) && self.dueAt === self.settleBy && millis > 0
    ? { ...self, dueAt: now + millis }
    : undefined

/**
 * Closes a message whose outcome is still open at its deadline: the customer does not pay for it. While
 * somebody asks its gateway, only an answer does, which `asked` stands for.
 */
export const expire = (self: Message, now: number, asked = false): Change | undefined =>
  isOverdue(self, now) && (asked || now >= (self.dueAt ?? 0))
    ? close({ ...self, error: self.error ?? "No delivery report came in time" }, "unknown", false)
    : undefined
