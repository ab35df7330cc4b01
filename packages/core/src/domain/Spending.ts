/**
 * What an organization has spent in the running day, and whether more fits
 * under its cap.
 *
 * The day is the UTC day, so two numbers on the account are exact, however much
 * is sent; a window that slides would need the time of every charge in it.
 */
import * as Money from "./Money.ts"

/** The account's part of it. */
export interface Spending {
  /** The UTC day that `spent` is about, in days since 1970-01-01; 0 before the first charge. */
  readonly spentOn: number
  /** The charges of that day, without those that were given back. */
  readonly spent: Money.Money
}

const dayMillis = 86_400_000

/** The UTC day of a time in epoch milliseconds. */
export const dayOf = (at: number): number => Math.floor(at / dayMillis)

/** What has been spent in the day of `now`. */
export const spentAt = (self: Spending, now: number): Money.Money =>
  self.spentOn === dayOf(now) ? self.spent : Money.zero

/** The cap leaves no room; it will be lifted in `retryAfterSeconds`, when the next day begins. */
export interface Capped {
  readonly _tag: "Capped"
  readonly retryAfterSeconds: number
}

/** Why a charge does not fit under a cap; `undefined` where it does. What costs nothing always fits. */
export const refusal = (
  self: Spending,
  amount: Money.Money,
  cap: Money.Money | undefined,
  now: number,
): Capped | undefined => {
  if (cap === undefined || amount === 0 || spentAt(self, now) + amount <= cap) return undefined
  const wait = (dayOf(now) + 1) * dayMillis - now
  return { _tag: "Capped", retryAfterSeconds: Math.ceil(wait / 1_000) }
}

/** Counts a charge. */
export const spend = <A extends Spending>(self: A, amount: Money.Money, now: number): A => ({
  ...self,
  spentOn: dayOf(now),
  // Beyond what can be counted to the last unit no cap can be set.
  spent: Money.fromUnits(Math.min(Number.MAX_SAFE_INTEGER, spentAt(self, now) + amount)),
})

/** Takes a charge of `chargedAt` out of the count again: of an earlier day, it is not in it. */
export const giveBack = <A extends Spending>(self: A, amount: Money.Money, chargedAt: number): A =>
  self.spentOn === dayOf(chargedAt)
    ? // Charges that were made before they were counted are not in it either.
      { ...self, spent: Money.fromUnits(Math.max(0, self.spent - amount)) }
    : self
