/**
 * A verification request and its possible ends.
 *
 * `expired` is never stored: a request that is still pending at its `expiresAt` is expired without any
 * action.
 */
import type { Channel } from "./Channel.ts"
import type { OrganizationId, RequestId } from "./Ids.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

export interface Verification {
  readonly organization: OrganizationId
  readonly id: RequestId
  readonly phoneNumber: PhoneNumber
  /** The channel of the message `messageSequence`. */
  readonly channel: Channel
  readonly status: "pending" | "verified" | "failed"
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly verifiedAt: number | null
  readonly attemptsRemaining: number
  /** HMAC-SHA-256 of the code, bound to the organization and the request. */
  readonly digest: Uint8Array
  /** The id of the pepper that the digest was made with. */
  readonly pepper: string
  /** Sequence of the message that carries the code; of the last one if there are several. */
  readonly messageSequence: number
}

/** The state that a caller sees at a given time. */
export type State = "pending" | "verified" | "expired" | "failed"

/** The state at `now`. A request that was made after `now`, under a wrong clock, is expired. */
export const stateAt = (
  self: Pick<Verification, "status" | "createdAt" | "expiresAt">,
  now: number,
): State =>
  self.status === "pending" && (now >= self.expiresAt || now < self.createdAt)
    ? "expired"
    : self.status

/**
 * Whether the organization must store `now` before a caller learns that the request has expired: its stored
 * latest time, `lastAt`, would still allow the request to be verified.
 */
export const mustRemember = (
  self: Pick<Verification, "status" | "createdAt" | "expiresAt">,
  lastAt: number,
  now: number,
): boolean => stateAt(self, now) === "expired" && stateAt(self, lastAt) === "pending"

/** The result of a check, and the request after it. */
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
 * Checks a code at `now`. `matches` is whether the code is right; it is used only while the request is
 * pending.
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
