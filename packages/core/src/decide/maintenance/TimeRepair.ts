/**
 * Repairs an organization whose time is far ahead because a clock was wrong.
 *
 * Windows, pending requests and verifications need no repair once the account's time is right. Times ahead of the
 * present count as now, or not at all. Messages are rewritten, because the log must be ordered by time and open
 * messages must become due. Ledger entries, reports and findings are history and keep their times.
 */
import { type Account, dayOf } from "../../domain/money/Account.ts"
import type { Message } from "../../domain/messages/Message.ts"

/** The account with a time of at most `now` (epoch milliseconds). */
export const account = (self: Account, now: number): Account => ({
  ...self,
  lastAt: Math.min(self.lastAt, now),
  spentOn: Math.min(self.spentOn, dayOf(now)),
})

/** Whether a log entry was written after `now`. Such entries are the newest ones, without gaps. */
export const isAhead = (self: Pick<Message, "createdAt">, now: number): boolean =>
  self.createdAt > now

/** The message with repaired times; `self` if its times are right. */
export const message = (self: Message, now: number): Message => {
  const ahead = Math.max(0, self.createdAt - now)
  const settleBy = self.settleBy - ahead
  const latest = Math.max(settleBy, now)
  const dueAt = self.dueAt === null ? null : Math.min(self.dueAt - ahead, latest)
  const followAt = self.followAt === null ? null : Math.min(self.followAt - ahead, latest)
  return ahead === 0 && dueAt === self.dueAt && followAt === self.followAt
    ? self
    : { ...self, createdAt: self.createdAt - ahead, settleBy, dueAt, followAt }
}
