/**
 * The rows of an organization that may be dropped once they are old enough.
 *
 * A message or a request that may be dropped stays so, and a store may select rows first and drop them later.
 * A recipient may receive a new request at any time, so a store drops it only in the state that it examined.
 * Ledger entries are never dropped.
 */
import type { Account } from "../../domain/money/Account.ts"
import * as Guesses from "../../domain/verifications/Guesses.ts"
import * as Ids from "../../domain/values/Ids.ts"
import * as KnownClient from "../../domain/verifications/KnownClient.ts"
import { bounds } from "../../domain/limits/Limits.ts"
import { type Message, nextAt } from "../../domain/messages/Message.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as PrefixStats from "../../domain/fraud/PrefixStats.ts"
import type { QueuedSend } from "../../domain/outbox/QueuedSend.ts"
import { quarterMillis } from "../../domain/money/Total.ts"
import { stateAt, type Verification } from "../../domain/verifications/Verification.ts"

/** The kinds of rows; a step drops one kind. `codes`: the sealed codes of expired requests, whose rows stay. */
export const kinds = [
  "messages",
  "verifications",
  "recipients",
  "findings",
  "totals",
  "events",
  "audit",
  "refusals",
  "outbox",
  "batches",
  "codes",
] as const

export type Kind = (typeof kinds)[number]

/** The creation time from which on rows stay. `now` is the store's clock, not the organization's time. */
export const cutOff = (now: number, keepMillis: number): number => now - keepMillis

export type LogLine = Pick<Message, "sequence" | "createdAt" | "dueAt" | "followAt" | "hold">

const isOver = (line: LogLine, before: number): boolean =>
  line.createdAt < before && nextAt(line) === null && line.hold !== "open"

/**
 * The account's `firstMessage` after the oldest messages that may go are dropped. `oldest` contains the log
 * lines from the current `firstMessage` on, in order. Only a prefix is dropped, so the log has no gaps.
 */
export const firstToKeep = (
  account: Pick<Account, "firstMessage">,
  oldest: ReadonlyArray<LogLine>,
  before: number,
): number => {
  const kept = oldest.findIndex((line) => !isOver(line, before))
  return account.firstMessage + (kept === -1 ? oldest.length : kept)
}

/** As `firstToKeep`, for the event log and the audit. `oldest` contains the times of the rows from `first` on. */
export const firstRecordToKeep = (
  first: number,
  oldest: ReadonlyArray<number>,
  before: number,
): number => {
  const kept = oldest.findIndex((at) => at >= before)
  return first + (kept === -1 ? oldest.length : kept)
}

/** Requests with ids from this one on stay, regardless of their creation time. */
export const firstRequestToKeep = (before: number): string =>
  Ids.sortable("vrf", before, new Uint8Array())

export type RequestLine = Pick<Verification, "requestId" | "status" | "createdAt" | "expiresAt">

/**
 * Whether a request may be dropped: it is old, or from a wrong clock's future, and it has ended. Its id has
 * to be old as well, so that old requests are a range of ids.
 */
export const isRequestOver = (self: RequestLine, before: number, now: number): boolean =>
  (self.createdAt < before || self.createdAt > now) &&
  self.requestId < firstRequestToKeep(before) &&
  stateAt(self, now) !== "pending"

export interface CodesToErase {
  /** The requests whose codes are over. */
  readonly requests: ReadonlyArray<RequestLine["requestId"]>
  /** Number of messages before the first one with a pending code. */
  readonly cleared: number
}

/**
 * The sealed codes to erase among consecutive messages. `requests` contains for each message the request whose
 * code it carries, if that code is still sealed. Only expired requests have a code to erase, because a request that
 * ends otherwise erases its own. A code stays while it is pending at `lastAt`, the organization's latest time,
 * because the clock may have gone back.
 */
export const codesToErase = (
  requests: ReadonlyArray<RequestLine | undefined>,
  now: number,
  lastAt: number,
): CodesToErase => {
  const times = [now, Math.max(now, lastAt)]
  const isPending = (request: RequestLine | undefined) =>
    request !== undefined && times.some((at) => stateAt(request, at) === "pending")
  const over = requests.flatMap((one) => (isPending(one) ? [] : (one?.requestId ?? [])))
  const pending = requests.findIndex(isPending)
  return { requests: [...new Set(over)], cleared: pending === -1 ? requests.length : pending }
}

/** Whether a recipient has, under every possible limit, the same effect as an empty one, now and later. */
export const isRecipientIdle = (
  self: Recipient.Recipient,
  before: number,
  now: number,
): boolean => {
  const earliest = Math.min(before, now - bounds.windowMillis.max)
  return (
    Recipient.pendingAt(self, now).length === 0 &&
    self.sends.every((at) => at < earliest) &&
    Guesses.isIdle(self.guesses, earliest) &&
    self.clients.every((client) => KnownClient.isIdle(client, earliest, now))
  )
}

/** Whether totals of the quarter with this start may be dropped: it has ended before `before`. */
export const isTotalOver = (at: number, before: number): boolean => at + quarterMillis <= before

/** Whether a queued send may be dropped: it has ended before `before`. */
export const isQueuedOver = ({ endedAt }: Pick<QueuedSend, "endedAt">, before: number): boolean =>
  endedAt !== null && endedAt < before

/** Statistics whose window began before this time count under no rules. They are dropped with findings. */
export const firstPrefixStatsToKeep = (before: number, now: number): number =>
  Math.min(before, now - 2 * PrefixStats.bounds.windowMillis.max)
