/** A request whose code waits in the outbox, or was not sent from there, as callers see it. */
import type * as Api from "../../api/verifications.ts"
import { FieldProblems, secondsIn } from "../../api/internal/fieldProblems.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import { RequestId } from "../../domain/values/Ids.ts"
import type { QueuedSend } from "../../domain/outbox/QueuedSend.ts"
import type { VerificationFailure } from "../../domain/verifications/VerificationState.ts"
import { codeOf } from "./queuedSend.ts"

const failures = {
  refused: "refused",
  cancelled: "cancelled",
  // No message with the code was sent.
  expired: "sending",
} as const satisfies Readonly<Record<string, VerificationFailure>>

/** The fields of the request's events besides its number. */
export const subjectOf = (self: QueuedSend) => {
  const problems = new FieldProblems()
  const call = codeOf(self)
  return {
    purpose: problems.value("purpose", call.purpose) ?? null,
    metadata: problems.value("metadata", call.metadata) ?? null,
  }
}

/** Seconds for which the code will be valid. */
export const validSeconds = (self: QueuedSend, limits: Limits): number => {
  const problems = new FieldProblems()
  const given = problems.parse("expiresIn", codeOf(self).expiresIn, secondsIn(limits.expirySeconds))
  return given ?? limits.expirySeconds.default
}

/** `undefined` once its code was sent: then it is an ordinary request. */
export const statusOf = (
  self: QueuedSend,
  limits: Limits,
): Omit<Api.VerificationStatus, "now"> | undefined => {
  if (self.end === "sent") return undefined
  const problems = new FieldProblems()
  const channel = problems.value("channel", codeOf(self).channel) ?? "sms"
  const { createdAt, end, id, phoneNumber } = self
  return {
    ...subjectOf(self),
    requestId: RequestId(id),
    phoneNumber,
    channel,
    status: end === null ? "queued" : "failed",
    attemptsRemaining: limits.attempts,
    resendsRemaining: 0,
    resendAt: null,
    createdAt,
    expiresAt: createdAt + validSeconds(self, limits) * 1_000,
    verifiedAt: null,
    consumedAt: null,
    failure: end === null ? null : failures[end],
    messages: [],
  }
}
