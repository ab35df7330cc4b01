/** What callers learn about a verification request. */
import * as Effect from "effect/Effect"
import type { OwnResult } from "../../decide/Command.ts"
import {
  AttemptsExhausted,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  WrongCode,
} from "../../domain/Errors.ts"
import type { RequestId } from "../../domain/Ids.ts"
import type * as PhoneNumber from "../../domain/PhoneNumber.ts"
import * as Verification from "../../domain/Verification.ts"

/** A verified request. */
export interface CheckedVerification {
  readonly requestId: RequestId
  readonly to: PhoneNumber.PhoneNumber
  readonly status: "verified"
  /** Epoch milliseconds; the same in every repeated check. */
  readonly verifiedAt: number
  /** Whether this check verified the request. Begin a session for the first one only. */
  readonly isFirst: boolean
}

/** Times are in epoch milliseconds. */
export interface VerificationStatus extends Pick<
  Verification.Verification,
  "requestId" | "channel" | "createdAt" | "expiresAt" | "verifiedAt" | "attemptsRemaining"
> {
  readonly to: PhoneNumber.PhoneNumber
  readonly status: Verification.State
}

/** The result of a check. */
export const checked = (
  requestId: RequestId,
  outcome: OwnResult<"CheckCode">,
): Effect.Effect<
  CheckedVerification,
  RateLimited | RequestNotFound | WrongCode | AttemptsExhausted | RequestExpired
> => {
  switch (outcome._tag) {
    case "Verified":
      return Effect.succeed({
        requestId,
        to: outcome.phoneNumber,
        status: "verified",
        verifiedAt: outcome.verifiedAt,
        isFirst: outcome.isFirst,
      })
    case "WrongCode":
      return Effect.fail(new WrongCode({ requestId, attemptsRemaining: outcome.attemptsRemaining }))
    case "Failed":
      return Effect.fail(new AttemptsExhausted({ requestId }))
    case "Expired":
      return Effect.fail(new RequestExpired({ requestId }))
    case "NotFound":
      return Effect.fail(new RequestNotFound())
    case "Limited":
      return Effect.fail(
        new RateLimited({ retryAfterSeconds: outcome.retryAfterSeconds, reason: "rate" }),
      )
  }
}

/** The status of a request at `now`. */
export const statusOf = (self: Verification.Verification, now: number): VerificationStatus => ({
  requestId: self.requestId,
  to: self.phoneNumber,
  channel: self.channel,
  status: Verification.stateAt(self, now),
  attemptsRemaining: self.attemptsRemaining,
  createdAt: self.createdAt,
  expiresAt: self.expiresAt,
  verifiedAt: self.verifiedAt,
})
