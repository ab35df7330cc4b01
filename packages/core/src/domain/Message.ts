/**
 * A message, from its charge to its final outcome.
 *
 * Its text and its price are written before the gateway is called. The first final outcome wins, from any
 * source. Later contradictions are recorded without moving money.
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

/** The current status. */
export type Status =
  /** Charged, and being sent to the gateway. */
  | "pending"
  /** Accepted by the gateway; reports will follow. */
  | "accepted"
  /** Arrived, or accepted by a gateway that never reports. */
  | "delivered"
  /** Accepted, and reported as not arrived. */
  | "undelivered"
  /** Not sent. */
  | "failed"
  /** The outcome cannot be determined. */
  | "unknown"
  /** Rejected by the gateway. */
  | "rejected"

/** The state of the charge: held until the outcome is known, then captured or released. */
export type Hold = "none" | "open" | "captured" | "released"

export interface Message {
  readonly organization: OrganizationId
  /** Position in the organization's log; 1 is the oldest. */
  readonly sequence: number
  readonly id: MessageId
  readonly phoneNumber: PhoneNumber
  /** The text in the log, in which a verification's code is masked. */
  readonly text: string
  readonly channel: Channel
  readonly logChannel: LogChannel
  readonly sender: string
  /** The verification whose code the message carries. */
  readonly verification: RequestId | null
  readonly status: Status
  readonly charge: Money.Money
  readonly hold: Hold
  readonly gateway: string
  readonly gatewayId: string | null
  readonly error: string | null
  /** Never decreases with `sequence`. Epoch milliseconds, like all times here. */
  readonly createdAt: number
  /** Number of the current or last dispatch; 1 for the first. */
  readonly attempt: number
  /**
   * Time of the next action on the message: the end of the dispatch's lease while `pending`, then the
   * settlement deadline while the outcome is open, then the end of the time for a lookup. `null` when the
   * outcome is final.
   */
  readonly dueAt: number | null
  /** Deadline after which an open outcome is closed in the customer's favour. */
  readonly settleBy: number
  /** Number of reports that contradicted the outcome, and the last of them. */
  readonly anomalies: number
  readonly anomaly: string | null
  /** Number of reports on the message, counted up to `Report.maxCounted`. */
  readonly reports: number
}

/**
 * The id of a log entry, as callers see it: the message's id and its sequence. The sequence finds the message
 * by primary key, so that no index of ids is needed.
 */
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

/** Whether the outcome is final. */
export const isClosed = (self: Message): boolean => self.dueAt === null

/** The id that a gateway has given to a message. Its reports find the message by this id. */
export interface GatewayId {
  readonly organization: OrganizationId
  /** Position of the message in the log. */
  readonly sequence: number
  readonly gateway: string
  readonly gatewayId: string
  /**
   * Time from which the gateway may give the id to another message. From then on, the id does not find this
   * message once the message is final. `null`: never.
   */
  readonly expiresAt: number | null
}

/**
 * The id that a change has given to a message; `undefined` if the change gives no new id, or if the message
 * is final, so that no report can change it. `idMillis` is how long the gateway's ids stay unique, in
 * milliseconds.
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

/** Ends a message. Only this function resolves the hold. */
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

/** Records the gateway that accepted the message, because its reports will come from there. */
const takenBy = (self: Message, { gateway = self.gateway, gatewayId }: Taken): Message => ({
  ...self,
  gateway,
  gatewayId: gatewayIdText(gatewayId),
  error: null,
})

/** The effect of a dispatch's outcome on a message that a report has already closed. */
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
 * Applies the outcome of a dispatch. `reports` is whether the gateway reports on messages that it has
 * accepted.
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
      // A report has already given more information, or the outcome is recorded a second time.
      if (self.status === "accepted") return unchanged(self)
      return unchanged({
        ...self,
        status: "unknown",
        error: errorText(outcome.message),
        dueAt: self.settleBy,
      })
  }
}

/** Applies a delivery report. Reports may come in any order and more than once. */
export const report = (self: Message, status: ReportStatus, detail: string | null): Change => {
  if (isClosed(self)) {
    return status === "accepted" || status === self.status
      ? unchanged(self)
      : contradict(self, `report: ${status}`)
  }
  switch (status) {
    case "accepted":
      // While the dispatch is in progress, its own outcome decides the status.
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

/** Takes over a dispatch whose lease has ended; `undefined` if there is no such dispatch. */
export const reclaim = (self: Message, leaseMillis: number, now: number): Message | undefined =>
  self.status === "pending" && self.dueAt !== null && now >= self.dueAt
    ? { ...self, attempt: self.attempt + 1, dueAt: now + leaseMillis }
    : undefined

const isOverdue = (self: Message, now: number): boolean =>
  self.dueAt !== null && self.status !== "pending" && now >= self.settleBy

/**
 * Postpones the end of a message while its gateway is asked for the outcome. Happens once per message: a
 * message that is due later than its deadline has already been asked about. `undefined` if the message is not
 * to be asked about.
 */
export const ask = (self: Message, millis: number, now: number): Message | undefined =>
  isOverdue(self, now) && self.dueAt === self.settleBy && millis > 0
    ? { ...self, dueAt: now + millis }
    : undefined

/**
 * Closes a message whose outcome is still open at its deadline: the customer does not pay for it. During a
 * lookup, only the lookup's answer closes it, which sets `asked`.
 */
export const expire = (self: Message, now: number, asked = false): Change | undefined =>
  isOverdue(self, now) && (asked || now >= (self.dueAt ?? 0))
    ? close({ ...self, error: self.error ?? "No delivery report came in time" }, "unknown", false)
    : undefined
