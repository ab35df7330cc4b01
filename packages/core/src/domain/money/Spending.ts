/**
 * The amount that an organization has spent in the current UTC day, and the check against its cap. Two
 * numbers are exact for any number of messages; a sliding window would need the time of every charge.
 */
import * as Money from "../values/Money.ts"

export interface Spending {
  /** The UTC day of `spent`, in days since 1970-01-01; 0 before the first charge. */
  readonly spentOn: number
  /** The charges of that day, without refunded ones. */
  readonly spent: Money.Money
}

const dayMillis = 86_400_000

/** The UTC day of a time in epoch milliseconds. */
export const dayOf = (at: number): number => Math.floor(at / dayMillis)

export const spentAt = (self: Spending, now: number): Money.Money =>
  self.spentOn === dayOf(now) ? self.spent : Money.zero

/** The charge exceeds the cap. The cap is reset after `retryAfterSeconds`, when the next day begins. */
export interface Capped {
  readonly _tag: "Capped"
  readonly retryAfterSeconds: number
}

/** Why a charge exceeds the cap; `undefined` if it does not. A free message never exceeds the cap. */
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

export const spend = <A extends Spending>(self: A, amount: Money.Money, now: number): A => ({
  ...self,
  spentOn: dayOf(now),
  // Above this amount, which is the largest exact one, no cap can be set.
  spent: Money.fromUnits(Math.min(Number.MAX_SAFE_INTEGER, spentAt(self, now) + amount)),
})

/** Removes a refunded charge of `chargedAt`, unless it is of an earlier day. */
export const giveBack = <A extends Spending>(self: A, amount: Money.Money, chargedAt: number): A =>
  self.spentOn === dayOf(chargedAt)
    ? // Charges from before counting began are not in the count either.
      { ...self, spent: Money.fromUnits(Math.max(0, self.spent - amount)) }
    : self
