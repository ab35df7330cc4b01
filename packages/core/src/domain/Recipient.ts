/**
 * The state of one phone number within one organization: its recent requests, those that are pending, and the
 * wrong codes.
 */
import * as Guesses from "./Guesses.ts"
import type { OrganizationId, RequestId } from "./Ids.ts"
import { bounds } from "./Limits.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"
import type { SlidingWindow } from "./SlidingWindow.ts"

/** A request that counts as pending until `until` (epoch milliseconds, exclusive). */
export interface Pending {
  readonly requestId: RequestId
  readonly until: number
}

export interface Recipient {
  readonly organization: OrganizationId
  readonly phoneNumber: PhoneNumber
  readonly sends: SlidingWindow
  readonly pending: ReadonlyArray<Pending>
  readonly guesses: Guesses.Guesses
}

export const empty = (organization: OrganizationId, phoneNumber: PhoneNumber): Recipient => ({
  organization,
  phoneNumber,
  sends: [],
  pending: [],
  guesses: Guesses.none,
})

/** The pending requests at `now`. One that ends later than any can was made under a wrong clock. */
export const pendingAt = (self: Recipient, now: number): ReadonlyArray<Pending> =>
  self.pending.length === 0
    ? self.pending
    : self.pending.filter(({ until }) => now < until && until <= now + maxPendingMillis)

const maxPendingMillis = bounds.expirySeconds.max * 1_000

/** The smallest whole number of seconds, at least 1, after which fewer than `limit` requests are pending. */
export const secondsUntilFree = (self: Recipient, limit: number, now: number): number => {
  const waits = self.pending
    .map(({ until }) => Math.max(1, Math.ceil((until - now) / 1_000)))
    .toSorted((a, b) => a - b)
  const isFree = (seconds: number): boolean => pendingAt(self, now + seconds * 1_000).length < limit
  return waits.find(isFree) ?? waits.at(-1) ?? 1
}

/** Adds a request and removes expired ones. */
export const open = (self: Recipient, pending: Pending, now: number): Recipient => ({
  ...self,
  pending: [...pendingAt(self, now), pending],
})

/** Removes a request that was verified or has failed. */
export const close = (self: Recipient, requestId: RequestId): Recipient =>
  self.pending.some((pending) => pending.requestId === requestId)
    ? { ...self, pending: self.pending.filter((pending) => pending.requestId !== requestId) }
    : self
