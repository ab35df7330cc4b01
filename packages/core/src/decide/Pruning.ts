/**
 * Which rows of an organization may be forgotten, once they are old enough.
 *
 * A message or a request that may go at one moment may go at every later one,
 * so a store may look first and drop afterwards. A recipient may be asked again
 * at any time: it goes only as it was looked at. Ledger entries are the history
 * of the money, and none of them ever goes.
 */
import type { Account } from "../domain/Account.ts"
import * as Ids from "../domain/Ids.ts"
import { bounds } from "../domain/Limits.ts"
import type { Message } from "../domain/Message.ts"
import * as Recipient from "../domain/Recipient.ts"
import * as Traffic from "../domain/PrefixStats.ts"
import { stateAt, type Verification } from "../domain/Verification.ts"

/** What is dropped, one kind in a step. */
export type Kind = "messages" | "verifications" | "recipients" | "findings"

/**
 * The time from which rows stay: those that are older than `keepMillis` at `now` may go. `now` is the
 * store's clock and never the latest time that the organization has seen, which may lie far ahead.
 */
export const cutOff = (now: number, keepMillis: number): number => now - keepMillis

/** What decides on a message. */
export type LogLine = Pick<Message, "sequence" | "createdAt" | "dueAt" | "hold">

const isOver = ({ createdAt, dueAt, hold }: LogLine, before: number): boolean =>
  createdAt < before && dueAt === null && hold !== "open"

/**
 * The account's `firstMessage` once those of its oldest messages that may go are gone. `oldest` are
 * the lines from the present one on, in order. Only a prefix goes, so that the log stays without gaps.
 */
export const firstToKeep = (
  account: Pick<Account, "firstMessage">,
  oldest: ReadonlyArray<LogLine>,
  before: number,
): number => {
  const kept = oldest.findIndex((line) => !isOver(line, before))
  return account.firstMessage + (kept === -1 ? oldest.length : kept)
}

/** Requests with ids from this one on stay, whenever they were made. */
export const firstRequestToKeep = (before: number): string =>
  Ids.sortable("vrf", before, new Uint8Array())

/** What decides on a request. */
export type RequestLine = Pick<Verification, "id" | "status" | "createdAt" | "expiresAt">

/**
 * Whether a request may go: it is old, or from a wrong clock's future, and it has ended. One whose id comes from
 * a node whose clock ran ahead stays until its id is old as well, so that old requests are a range of ids.
 */
export const isRequestOver = (self: RequestLine, before: number, now: number): boolean =>
  (self.createdAt < before || self.createdAt > now) &&
  self.id < firstRequestToKeep(before) &&
  stateAt(self, now) !== "pending"

/**
 * Whether a recipient may go: it says no more than an empty one would, under any limit that can be set,
 * now or later.
 */
export const isRecipientIdle = (
  self: Recipient.Recipient,
  before: number,
  now: number,
): boolean => {
  const earliest = Math.min(before, now - bounds.windowMillis.max)
  return Recipient.pendingAt(self, now).length === 0 && self.sends.every((at) => at < earliest)
}

/** Traffic that began before this counts for nothing any more, under any rules; it goes with the findings. */
export const firstTrafficToKeep = (before: number, now: number): number =>
  Math.min(before, now - 2 * Traffic.bounds.windowMillis.max)
