/**
 * Brings an organization back that has seen a time far ahead, because a clock
 * was wrong.
 *
 * Windows, pending requests and verifications heal by themselves once the
 * account's time is right: what lies ahead of the present counts as of now, or
 * not at all. The log has to be ordered by time, and open messages have to come
 * due, so messages are rewritten. Ledger entries, reports and findings keep
 * their times: they are history.
 */
import type { Account } from "../domain/Account.ts"
import type { Message } from "../domain/Message.ts"
import { dayOf } from "../domain/Spending.ts"

/** The account, with its time no later than `now` (epoch milliseconds). */
export const account = (self: Account, now: number): Account => ({
  ...self,
  lastAt: Math.min(self.lastAt, now),
  spentOn: Math.min(self.spentOn, dayOf(now)),
})

/** Whether the log's entry was written after `now`. Those that were are the newest, without gaps. */
export const isAhead = (self: Pick<Message, "createdAt">, now: number): boolean =>
  self.createdAt > now

/** The message, created no later than `now` and due no later than it would have been; itself if it was right. */
export const message = (self: Message, now: number): Message => {
  const ahead = Math.max(0, self.createdAt - now)
  const settleBy = self.settleBy - ahead
  const dueAt = self.dueAt === null ? null : Math.min(self.dueAt - ahead, Math.max(settleBy, now))
  return ahead === 0 && dueAt === self.dueAt
    ? self
    : { ...self, createdAt: self.createdAt - ahead, settleBy, dueAt }
}
