/**
 * A verification request. `expired` is never stored: a request that is pending at its `expiresAt` expires
 * without any action.
 */
import type { Channel } from "../values/Channel.ts"
import type { OrganizationId, RequestId } from "../values/Ids.ts"
import type { Limits } from "../limits/Limits.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"
import * as SlidingWindow from "../limits/SlidingWindow.ts"
import { isUnsentStatus, type Status } from "../messages/Message.ts"
import type { VerificationFailure, VerificationState } from "./VerificationState.ts"

interface NewRequest {
  readonly organization: OrganizationId
  readonly requestId: RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The channel of the message `messageSequence`. */
  readonly channel: Channel
  /** The purpose of the verification; `null` if the host has named no purpose. */
  readonly purpose: string | null
  /** JSON text of the host. */
  readonly metadata: string | null
  readonly attemptsRemaining: number
  /** HMAC-SHA-256 of the code, bound to the organization and the request. */
  readonly digest: Uint8Array
  /** The id of the secret that the digest and the seal were made with. */
  readonly pepper: string
  /** The code and what its text depends on, encrypted. `null` once the request has ended. */
  readonly sealed: Uint8Array | null
  /** Sequence of the message that carries the code; of the last one if there are several. */
  readonly messageSequence: number
  /** The prefix of the number whose statistics count the code; `null` if none do. */
  readonly prefix: string | null
}

interface Request extends NewRequest {
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Sequences of the messages that carried the code before, oldest first. */
  readonly earlierMessages: ReadonlyArray<number>
  /** Whether one of the earlier messages may have arrived. */
  readonly mayHaveArrived: boolean
  /** Number of times that a caller has had the code sent again. */
  readonly resends: number
  /** Time of the last message. */
  readonly sentAt: number
  /** Times of recent checks, if they are limited. */
  readonly checks: SlidingWindow.SlidingWindow
}

/** The stored state. Only a verified request has a time of verification, and can be consumed. */
export type Progress =
  | { readonly status: "pending" | "failed"; readonly verifiedAt: null; readonly consumedAt: null }
  | {
      readonly status: "verified"
      readonly verifiedAt: number
      readonly consumedAt: number | null
    }

export type Verification = Request & Progress

/** The state that a caller sees at a given time. */
export type State = Exclude<VerificationState, "queued">

type Lifetime = Pick<Verification, "status" | "createdAt" | "expiresAt">

/** Opens a request, whose code a message carries. */
export const open = (request: NewRequest, expirySeconds: number, now: number): Verification => ({
  ...request,
  status: "pending",
  createdAt: now,
  expiresAt: now + expirySeconds * 1_000,
  checks: SlidingWindow.empty,
  verifiedAt: null,
  consumedAt: null,
  earlierMessages: [],
  mayHaveArrived: false,
  resends: 0,
  sentAt: now,
})

/** The sequence of the first message with the code. It never changes. */
export const firstMessage = ({
  earlierMessages,
  messageSequence,
}: Pick<Verification, "earlierMessages" | "messageSequence">): number =>
  earlierMessages[0] ?? messageSequence

/** Whether the lifetime of the code is over. A request that was made after `now` has a wrong clock, and is over. */
export const isOver = (self: Pick<Lifetime, "createdAt" | "expiresAt">, now: number): boolean =>
  now >= self.expiresAt || now < self.createdAt

/** The state at `now`. */
export const stateAt = (self: Lifetime, now: number): State =>
  self.status === "pending" && isOver(self, now) ? "expired" : self.status

/** Whether `now` must be stored before the expiry is shown: the request is still pending at `lastAt`. */
export const mustRemember = (self: Lifetime, lastAt: number, now: number): boolean =>
  stateAt(self, now) === "expired" && stateAt(self, lastAt) === "pending"

/**
 * The state after a check, by the state before it and by the code. `last attempt` is `pending` with one
 * attempt left. Section 3.1 of the interface document has the same table.
 */
export const transitions = {
  pending: { right: "verified", wrong: "pending" },
  "last attempt": { right: "verified", wrong: "failed" },
  verified: { right: "verified", wrong: "verified" },
  failed: { right: "failed", wrong: "failed" },
  expired: { right: "expired", wrong: "expired" },
} as const satisfies Record<State | "last attempt", Record<"right" | "wrong", State>>

/** The request after a check at `now`; `self` if the check changes nothing. */
export const check = (self: Verification, code: "right" | "wrong", now: number): Verification => {
  const state = stateAt(self, now)
  const isLast = state === "pending" && self.attemptsRemaining <= 1
  switch (transitions[isLast ? "last attempt" : state][code]) {
    case "verified":
      return self.status === "verified"
        ? self
        : { ...self, status: "verified", verifiedAt: now, consumedAt: null, sealed: null }
    case "pending":
      return withoutAttempt(self)
    case "failed":
      return self.status === "failed" ? self : { ...failed(self), attemptsRemaining: 0 }
    case "expired":
      return self
  }
}

/** Whether `verify` compares a code. */
export const isOpen = (self: Verification, now: number): boolean =>
  (self.status === "pending" || (self.status === "verified" && self.consumedAt === null)) &&
  self.attemptsRemaining > 0 &&
  !isOver(self, now)

/**
 * As `check`, but the right code uses the request up. The code is also compared for a request that an earlier check has
 * verified. It stays verified when wrong codes have used up its attempts.
 */
export const verify = (self: Verification, code: "right" | "wrong", now: number): Verification => {
  if (self.status !== "verified") {
    const checked = check(self, code, now)
    return checked.status === "verified" ? { ...checked, consumedAt: now } : checked
  }
  if (!isOpen(self, now)) return self
  return code === "right" ? { ...self, consumedAt: now } : withoutAttempt(self)
}

/** The request after a wrong code that was not the last one. */
const withoutAttempt = (self: Verification): Verification => ({
  ...self,
  attemptsRemaining: self.attemptsRemaining - 1,
})

const failed = (self: Verification): Verification => ({
  ...self,
  status: "failed",
  verifiedAt: null,
  consumedAt: null,
  sealed: null,
})

/** Lets another message carry the code. `isLost`: the message before it certainly does not arrive. */
export const follow = (
  self: Verification,
  { channel, sequence }: { readonly channel: Channel; readonly sequence: number },
  isLost: boolean,
  now: number,
): Verification => ({
  ...self,
  channel,
  messageSequence: sequence,
  earlierMessages: [...self.earlierMessages, self.messageSequence],
  mayHaveArrived: self.mayHaveArrived || !isLost,
  sentAt: now,
})

/** Why a failed request has failed. `delivery`: the status of its newest message, if that is known. */
export const failureOf = (
  { attemptsRemaining, mayHaveArrived }: Pick<Verification, "attemptsRemaining" | "mayHaveArrived">,
  delivery: Status | null,
): VerificationFailure => {
  if (attemptsRemaining === 0) return "attempts"
  const isUnsent = delivery !== null && isUnsentStatus(delivery)
  return isUnsent && !mayHaveArrived ? "sending" : "cancelled"
}

/** When the code can be sent again, in epoch milliseconds. */
export const resendAt = (
  { sentAt }: Pick<Verification, "sentAt">,
  { resendCooldownMillis }: Pick<Limits, "resendCooldownMillis">,
  now: number,
): number => Math.min(sentAt, now) + resendCooldownMillis

/** Ends a request without success. Only a request that is pending at `now` can fail. */
export const fail = (self: Verification, now: number): Verification =>
  stateAt(self, now) === "pending" ? failed(self) : self

/** Whether the request no longer tells whose number it verified. Callers do not find such a request. */
export const isErased = ({ phoneNumber }: Verification): boolean =>
  PhoneNumber.isErased(phoneNumber)

/** The request without its number, its code, and the host's words; `undefined` while it is pending at `now`. */
export const erase = (self: Verification, now: number): Verification | undefined =>
  stateAt(self, now) === "pending"
    ? undefined
    : {
        ...self,
        phoneNumber: PhoneNumber.erase(self.phoneNumber),
        purpose: null,
        metadata: null,
        prefix: null,
        sealed: null,
      }
