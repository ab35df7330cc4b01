/**
 * A verification request and the ways it can end.
 *
 * `expired` is never stored: a request that is still pending at its
 * `expiresAt` is expired, and nothing has to happen for that.
 */
import type { Channel } from "./Channel.ts"
import type { OrganizationId, RequestId } from "./Ids.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

export interface Verification {
  readonly organization: OrganizationId
  readonly id: RequestId
  readonly phoneNumber: PhoneNumber
  /** The one that `message` takes. */
  readonly channel: Channel
  readonly status: "pending" | "verified" | "failed"
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly verifiedAt: number | null
  readonly attemptsRemaining: number
  /** HMAC-SHA-256 of the code, bound to organization and request. */
  readonly digest: Uint8Array
  /** The id of the pepper that the digest was made with. */
  readonly pepper: string
  /** The number of the message that carries the code; of the last one, where several do. */
  readonly messageSequence: number
}

/** The state that a caller sees at a point in time. */
export type State = "pending" | "verified" | "expired" | "failed"

/** A request that was made after `now`, under a clock that was wrong, is expired. */
export const stateAt = (
  self: Pick<Verification, "status" | "createdAt" | "expiresAt">,
  now: number,
): State =>
  self.status === "pending" && (now >= self.expiresAt || now < self.createdAt)
    ? "expired"
    : self.status

/**
 * Whether the organization has to remember `now` before anyone is told that the request has expired:
 * `lastAt`, the latest time that it remembers, would still let the request be verified.
 */
export const mustRemember = (
  self: Pick<Verification, "status" | "createdAt" | "expiresAt">,
  lastAt: number,
  now: number,
): boolean => stateAt(self, now) === "expired" && stateAt(self, lastAt) === "pending"

/** What a check comes to, and the request after it. */
export type Checked =
  | {
      readonly _tag: "Verified"
      readonly verification: Verification
      readonly verifiedAt: number
      readonly first: boolean
    }
  | { readonly _tag: "WrongCode"; readonly verification: Verification }
  | { readonly _tag: "Failed"; readonly verification: Verification; readonly first: boolean }
  | { readonly _tag: "Expired"; readonly verification: Verification }

/**
 * Checks a code at `now`. `matches` says whether the code is right; it is
 * looked at only while the request is pending.
 */
export const check = (self: Verification, matches: boolean, now: number): Checked => {
  switch (stateAt(self, now)) {
    case "verified":
      return {
        _tag: "Verified",
        verification: self,
        verifiedAt: self.verifiedAt ?? now,
        first: false,
      }
    case "failed":
      return { _tag: "Failed", verification: self, first: false }
    case "expired":
      return { _tag: "Expired", verification: self }
    case "pending":
      return matches ? verify(self, now) : spendAttempt(self)
  }
}

const verify = (self: Verification, now: number): Checked => ({
  _tag: "Verified",
  verification: { ...self, status: "verified", verifiedAt: now },
  verifiedAt: now,
  first: true,
})

const spendAttempt = (self: Verification): Checked => {
  const attemptsRemaining = Math.max(0, self.attemptsRemaining - 1)
  return attemptsRemaining > 0
    ? { _tag: "WrongCode", verification: { ...self, attemptsRemaining } }
    : {
        _tag: "Failed",
        verification: { ...self, attemptsRemaining, status: "failed" },
        first: true,
      }
}

/** Lets another message carry the code. */
export const follow = (self: Verification, channel: Channel, message: number): Verification => ({
  ...self,
  channel,
  messageSequence: message,
})

/** Ends a request whose code was never sent. Only a request that is pending at `now` can fail. */
export const fail = (self: Verification, now: number): Verification =>
  stateAt(self, now) === "pending" ? { ...self, status: "failed" } : self
