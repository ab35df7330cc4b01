/**
 * The rows of a person, by phone number, and what erases them. A store reads a page of rows and applies the
 * decision on it under the organization's lock.
 *
 * Rows stay, without what tells whose they are, so the log keeps its order, and the ledger and the totals equal
 * what they count. A row that still has work to do stays as it is, and a later erasure finds it.
 */
import * as Record from "effect/Record"
import * as ErasedRecipient from "../../domain/verifications/ErasedRecipient.ts"
import * as Event from "../../domain/events/Event.ts"
import { eventTable } from "../../domain/events/EventTable.ts"
import type { IdempotencyKey } from "../../domain/values/IdempotencyKey.ts"
import * as Message from "../../domain/messages/Message.ts"
import { mask, type PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as Refusal from "../../domain/verifications/Refusal.ts"
import * as Report from "../../domain/messages/MessageReport.ts"
import * as Verification from "../../domain/verifications/Verification.ts"

/**
 * The kinds of rows, in the order of an erasure. The outbox comes first, because a queued send becomes a message. Events and answers of keys are found through requests and messages
 * that are erased before. `verifications`: only requests whose messages are gone, because others come with these.
 */
export const kinds = [
  "outbox",
  "recipients",
  "messages",
  "verifications",
  "events",
  "answers",
  "refusals",
] as const

export type Kind = (typeof kinds)[number]

/** Rows of one kind that may concern a phone number. Lists of other kinds are empty. */
export interface Rows {
  readonly queued: ReadonlyArray<QueuedSend.QueuedSend>
  readonly recipient: Recipient.Recipient | undefined
  /** The limits that earlier erasures have left under a digest of the number. */
  readonly erasedRecipients: ReadonlyArray<ErasedRecipient.ErasedRecipient>
  readonly messages: ReadonlyArray<Message.Message>
  /** The reports on `messages`. */
  readonly reports: ReadonlyArray<Report.Report>
  /** Of the messages' requests, those with their last message among `messages`. */
  readonly verifications: ReadonlyArray<Verification.Verification>
  /** Events with the masked number, which other numbers may share, and their stored requests. */
  readonly events: ReadonlyArray<{
    readonly event: Event.LoggedEvent
    readonly verification: Verification.Verification | undefined
  }>
  /** Idempotency keys of any number, and their stored messages. */
  readonly keys: ReadonlyArray<{
    readonly key: IdempotencyKey
    readonly message: Message.Message | undefined
  }>
  /** Refusals under a digest of the number. */
  readonly refusals: ReadonlyArray<Refusal.Refusal>
}

export const noRows: Rows = {
  queued: [],
  recipient: undefined,
  erasedRecipients: [],
  messages: [],
  reports: [],
  verifications: [],
  events: [],
  keys: [],
  refusals: [],
}

/** The rows that are stored of a person: without those that only seem to be. */
export const ofNumber = (rows: Rows, phoneNumber: PhoneNumber): Rows => ({
  ...rows,
  events: rows.events.filter(({ verification }) => verification?.phoneNumber === phoneNumber),
  keys: rows.keys.filter(({ message }) => message?.phoneNumber === phoneNumber),
})

export interface Erasure {
  readonly phoneNumber: PhoneNumber
  /** The digest of the number under which its limits stay. */
  readonly digest: string
  /** Takes the place of the answers of calls with idempotency keys, which may contain the gateway's id. */
  readonly answer: string
}

/** The rows to replace. */
export interface Erased {
  /** Whether to delete the recipient. */
  readonly isRecipientOver: boolean
  readonly erasedRecipient: ErasedRecipient.ErasedRecipient | undefined
  /** Ids of gateways no longer find these messages. */
  readonly messages: ReadonlyArray<Message.Message>
  /** The messages with the ids of gateways, for which kept reports are deleted. */
  readonly named: ReadonlyArray<Message.Message>
  readonly reports: ReadonlyArray<Report.Report>
  readonly verifications: ReadonlyArray<Verification.Verification>
  readonly events: ReadonlyArray<Event.LoggedEvent>
  readonly keys: ReadonlyArray<IdempotencyKey>
  readonly refusals: ReadonlyArray<Refusal.Refusal>
  /** No node sends them any more. */
  readonly queued: ReadonlyArray<QueuedSend.QueuedSend>
  readonly counts: Event.ErasedCounts
  /** Number of rows that still have work to do. */
  readonly left: number
}

/** Decides what to replace at `now` (epoch milliseconds, from `Decision.timeOf`). */
export const decide = (
  rows: Rows,
  { answer, digest, phoneNumber }: Erasure,
  now: number,
): Erased => {
  const { recipient } = rows
  const isPending = recipient !== undefined && Recipient.pendingAt(recipient, now).length > 0
  const isRecipientOver = recipient !== undefined && !isPending
  const messages = rows.messages.flatMap((one) => Message.erase(one) ?? [])
  const sequences = new Set(messages.map(({ sequence }) => sequence))
  const reports = rows.reports.filter(({ messageSequence }) => sequences.has(messageSequence))
  const verifications = rows.verifications.flatMap((one) => Verification.erase(one, now) ?? [])
  const events = rows.events.filter(
    ({ verification }) => verification === undefined || Verification.isErased(verification),
  )
  const keys = rows.keys.filter(
    ({ key, message }) =>
      key.messageSequence !== null &&
      key.answer !== answer &&
      (message === undefined || Message.isErased(message)),
  )
  return {
    isRecipientOver,
    erasedRecipient: isRecipientOver ? ErasedRecipient.of(recipient, digest, now) : undefined,
    messages,
    named: rows.messages.filter(
      ({ gatewayId, sequence }) => gatewayId !== null && sequences.has(sequence),
    ),
    reports: reports.map(Report.erase),
    verifications,
    events: events.map(({ event }) => Event.erase(event, phoneNumber)),
    keys: keys.map(({ key }) => ({ ...key, answer })),
    refusals: rows.refusals.map(Refusal.erase),
    queued: rows.queued.map((one) => QueuedSend.erase(one, now)),
    counts: {
      // A queued send is a message that was not sent yet.
      messages: messages.length + rows.queued.length,
      verifications: verifications.length,
      reports: reports.length,
      events: events.length,
      answers: keys.length,
      refusals: rows.refusals.length,
    },
    left:
      rows.messages.length -
      messages.length +
      rows.verifications.length -
      verifications.length +
      Number(isPending),
  }
}

/** Whether an event may be about a number: an event contains the masked number only. */
export const mayConcern = (event: Event.LoggedEvent, phoneNumber: PhoneNumber): boolean =>
  "phoneNumber" in event && event.phoneNumber === mask(phoneNumber)

export const noCounts: Event.ErasedCounts = Record.map(eventTable.NumberErased.payload, () => 0)

export const add = (one: Event.ErasedCounts, other: Event.ErasedCounts): Event.ErasedCounts =>
  Record.map(one, (count, kind) => count + other[kind])
