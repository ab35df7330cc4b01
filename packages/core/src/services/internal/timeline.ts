/**
 * The timeline of a message or a request: what has happened to it, in order of time, read from the rows that exist.
 *
 * A time that no row has is `null`. A fact that no row has is not in the timeline.
 */
import type { timeline } from "../../api/messages.ts"
import type { Entry } from "../../domain/money/Account.ts"
import type { Channel } from "../../domain/values/Channel.ts"
import type { LoggedEvent } from "../../domain/events/Event.ts"
import { isClosed, isErased, type Message } from "../../domain/messages/Message.ts"
import type { Report } from "../../domain/messages/MessageReport.ts"
import type { QueuedSend } from "../../domain/outbox/QueuedSend.ts"
import { decodeRefusal } from "../../engine/StoredAnswer.ts"
import { stateAt, type Verification } from "../../domain/verifications/Verification.ts"

/** `at` is in epoch milliseconds, and `null` if no row has the time. The step is at its place nevertheless. */
export type TimelineStep = (typeof timeline.Type)[number]

/** The rows of a message. The entries and events are the ones that were found; they may also be of other messages. */
export interface MessageRows {
  readonly message: Message
  readonly reports: ReadonlyArray<Report>
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<LoggedEvent>
}

/** When the outcome of a message became final; `undefined` if neither the ledger nor the events were found to say. */
export const settledAt = (
  { sequence }: Pick<Message, "sequence">,
  { entries, events }: Pick<MessageRows, "entries" | "events">,
): number | undefined =>
  events.find((event) => event._tag === "MessageSettled" && event.messageSequence === sequence)
    ?.at ??
  entries.find(({ kind, messageSequence }) => messageSequence === sequence && kind !== "hold")?.at

/** When the gateway accepted a message with a code: the first such event, before `until`. */
const sentAt = (
  { channel, createdAt, requestId }: Message,
  events: ReadonlyArray<LoggedEvent>,
  until: number,
): number | undefined =>
  events.find(
    (event) =>
      event._tag === "VerificationSent" &&
      event.requestId === requestId &&
      event.channel === channel &&
      event.at >= createdAt &&
      event.at < until,
  )?.at

const isContradiction = ({ status }: Report, message: Message): boolean =>
  isClosed(message) && status !== "accepted" && status !== message.status

const moneyOf = (
  { charge: amount, hold, sequence: messageSequence }: Message,
  at: number | null,
): ReadonlyArray<TimelineStep> => {
  if (hold === "captured") return [{ kind: "captured", at, messageSequence, amount }]
  return hold === "released" ? [{ kind: "refunded", at, messageSequence, amount }] : []
}

/** The entries of a message, in the order of their causes. `until`: when the next message on its channel was made. */
const entriesOf = (rows: MessageRows, until = Infinity): ReadonlyArray<TimelineStep> => {
  const { events, message, reports } = rows
  const { anomalies, anomaly, dispatchNumber, channel, charge, createdAt, error, sender } = message
  const { gateway, gatewayId, sequence: messageSequence, status } = message
  const of = { messageSequence }
  const { failureReason, vendorCode } = message
  const problem = { reason: error, failureReason, vendorCode }
  const found: Array<TimelineStep> = [{ kind: "created", at: createdAt, ...of, channel, sender }]
  if (charge > 0) found.push({ kind: "held", at: createdAt, ...of, amount: charge })
  found.push({ kind: "attempt", at: createdAt, ...of, attempt: 1 })
  if (dispatchNumber > 1) found.push({ kind: "attempt", at: null, ...of, attempt: dispatchNumber })
  if (gatewayId !== null) {
    const at = sentAt(message, events, until) ?? null
    found.push({ kind: "accepted", at, ...of, gateway, gatewayId })
  } else if (status === "unknown" && !isErased(message)) {
    found.push({ kind: "unconfirmed", at: null, ...of, gateway, ...problem })
  }
  let contradictions = 0
  for (const report of reports) {
    const { detail, gateway, receivedAt: at, status } = report
    const contradicts = isContradiction(report, message)
    if (contradicts) contradictions += 1
    found.push({ kind: "report", at, ...of, gateway, status, detail, contradicts })
  }
  if (isClosed(message)) {
    const at = settledAt(message, rows) ?? null
    found.push({ kind: "settled", at, ...of, gateway, status, ...problem })
    found.push(...moneyOf(message, at))
  }
  if (anomalies > contradictions) {
    found.push({ kind: "contradicted", at: null, ...of, reason: anomaly })
  }
  return found
}

interface Placed {
  readonly entry: TimelineStep
  readonly place: number
}

/** Gives entries their places in time. An entry without a time stays behind the one before it. */
const placed = (entries: ReadonlyArray<TimelineStep>, first: number): ReadonlyArray<Placed> => {
  let place = first
  return entries.map((entry) => {
    place = entry.at ?? place
    return { entry, place }
  })
}

const inOrder = (entries: ReadonlyArray<Placed>): ReadonlyArray<TimelineStep> =>
  entries.toSorted((a, b) => a.place - b.place).map(({ entry }) => entry)

/** The step in the outbox, if the send was queued. */
const queuedOf = (queued: QueuedSend | undefined): ReadonlyArray<TimelineStep> =>
  queued === undefined
    ? []
    : [{ kind: "queued", at: queued.createdAt, sendAt: queued.sendAt === 0 ? null : queued.sendAt }]

/** The timeline of a message. */
export const ofMessage = (rows: MessageRows, queued?: QueuedSend): ReadonlyArray<TimelineStep> => [
  ...queuedOf(queued),
  ...inOrder(placed(entriesOf(rows), rows.message.createdAt)),
]

/** The timeline of a request whose code was not sent. */
export const ofQueued = (queued: QueuedSend): ReadonlyArray<TimelineStep> => {
  const { end, endedAt: at } = queued
  const steps = queuedOf(queued)
  if (end === null) return steps
  if (end === "cancelled") return [...steps, { kind: "cancelled", at }]
  const reason = end === "refused" ? "refused" : "sending"
  const code = queued.failure === null ? null : decodeRefusal(queued.failure).code
  return [...steps, { kind: "failed", at, reason, code }]
}

/** Why a code was sent again, for each message after the first. */
const causesOf = (
  { earlierMessages, messageSequence, resends }: Verification,
  channelOf: (sequence: number) => Channel | undefined,
): ReadonlyMap<number, "resent" | "fallback" | "sent_again"> => {
  const sequences = [...earlierMessages, messageSequence]
  const later = sequences.slice(1)
  const fallbacks = later.length - resends
  // A fallback leads from WhatsApp to SMS.
  const possible = later.filter(
    (sequence, index) =>
      channelOf(sequence) === "sms" && channelOf(sequences[index] ?? 0) === "whatsapp",
  )
  const causeOf = (sequence: number) => {
    if (fallbacks === 0) return "resent"
    if (resends === 0) return "fallback"
    if (possible.length !== fallbacks) return "sent_again"
    return possible.includes(sequence) ? "fallback" : "resent"
  }
  return new Map(later.map((sequence) => [sequence, causeOf(sequence)]))
}

type Ending = Extract<LoggedEvent, { readonly _tag: "Failed" | "Cancelled" }>

/** The event that ended a request without success; `undefined` if it was not found. */
export const endOf = (
  { requestId }: Pick<Verification, "requestId">,
  events: ReadonlyArray<LoggedEvent>,
): Ending | undefined =>
  events.find(
    (event): event is Ending =>
      (event._tag === "Failed" || event._tag === "Cancelled") && event.requestId === requestId,
  )

const endingOf = (
  self: Verification,
  events: ReadonlyArray<LoggedEvent>,
  now: number,
): ReadonlyArray<TimelineStep> => {
  switch (stateAt(self, now)) {
    case "pending":
      return []
    case "expired":
      return [{ kind: "expired", at: self.expiresAt }]
    case "failed": {
      const event = endOf(self, events)
      if (event?._tag === "Cancelled") return [{ kind: "cancelled", at: event.at }]
      // Only wrong codes use up all attempts.
      const reason = event?.reason ?? (self.attemptsRemaining === 0 ? "attempts" : null)
      return [{ kind: "failed", at: event?.at ?? null, reason, code: null }]
    }
    case "verified": {
      const { consumedAt, verifiedAt } = self
      const verified = { kind: "verified", at: verifiedAt } as const
      return consumedAt === null ? [verified] : [verified, { kind: "consumed", at: consumedAt }]
    }
  }
}

/** The rows of a request and of its messages that are in the log, oldest first. */
export interface VerificationRows extends Pick<MessageRows, "entries" | "events"> {
  readonly verification: Verification
  readonly messages: ReadonlyArray<Pick<MessageRows, "message" | "reports">>
  /** The send of the outbox that it was. */
  readonly queued: QueuedSend | undefined
  /** Number of attempts that a new request has. */
  readonly attempts: number
}

/** The timeline of a request at `now`. */
export const ofVerification = (
  { attempts, messages, queued, verification, ...found }: VerificationRows,
  now: number,
): ReadonlyArray<TimelineStep> => {
  const { attemptsRemaining, createdAt, expiresAt, purpose } = verification
  const channelOf = (of: number) =>
    messages.find(({ message }) => message.sequence === of)?.message.channel
  const causes = causesOf(verification, channelOf)
  const sent = messages.flatMap(({ message, reports }, index) => {
    const { channel, createdAt, sequence: messageSequence } = message
    const next = messages.slice(index + 1).find((later) => later.message.channel === channel)
    const entries = entriesOf({ message, reports, ...found }, next?.message.createdAt)
    const kind = causes.get(messageSequence)
    const cause = kind === undefined ? [] : [{ kind, at: createdAt, messageSequence }]
    return placed([...cause, ...entries], createdAt)
  })
  const ending = endingOf(verification, found.events, now)
  // The wrong codes came before the end, and reports may come after it.
  const place = ending[0]?.at ?? Infinity
  const count = attempts - attemptsRemaining
  const wrong = { kind: "wrong_codes", at: null, count, attemptsRemaining } as const
  const requested = inOrder([
    { entry: { kind: "requested", at: createdAt, purpose, expiresAt }, place: createdAt },
    ...sent,
    ...(count > 0 ? [{ entry: wrong, place }] : []),
    ...placed(ending, Infinity),
  ])
  return [...queuedOf(queued), ...requested]
}
