/** The rules of one-time codes. */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import type { PepperedDigest, OwnResult } from "../Command.ts"
import * as AuditEntry from "../../domain/AuditEntry.ts"
import * as KnownClient from "../../domain/KnownClient.ts"
import type { Limits } from "../../domain/Limits.ts"
import { mask } from "../../domain/PhoneNumber.ts"
import * as PrefixStats from "../../domain/PrefixStats.ts"
import * as Recipient from "../../domain/Recipient.ts"
import * as TestNumber from "../../domain/TestNumber.ts"
import * as Verification from "../../domain/Verification.ts"
import {
  about,
  answer,
  checkFraud,
  closeRecipient,
  type Context,
  type Decider,
  endRestored,
  hold,
  newKey,
  recipientOf,
  recount,
} from "./decider.ts"
import { admitCheck, countSend, tooManyPending } from "./guards.ts"

export const admitVerification: Decider<"AdmitVerification"> = (context, command) => {
  const { account, now } = context
  const counted = countSend(context, command, recipientOf(context, command))
  if (Result.isFailure(counted)) return answer(counted.failure)
  const crowded = tooManyPending(counted.success.recipient, command, now)
  return answer(crowded ?? { _tag: "Admitted" }, {
    account,
    ...endRestored(context),
    ...counted.success,
  })
}

export const requestVerification: Decider<"RequestVerification"> = (context, command) => {
  const { code, draft, expirySeconds, limits, organization, phoneNumber, requestId, rules } =
    command
  const { metadata, purpose, sealed } = command
  const { account, now } = context
  const before = recipientOf(context, command)
  const admitted = command.isCounted
    ? Result.succeed({ recipient: before })
    : countSend(context, command, before)
  if (Result.isFailure(admitted)) return answer(admitted.failure)
  const restored = endRestored(context)
  const counted = restored ? { ...restored, ...admitted.success } : admitted.success
  const { recipient } = counted
  const crowded = tooManyPending(recipient, command, now)
  if (crowded !== undefined && crowded.displaces === undefined) {
    return answer(crowded, { account, ...counted })
  }
  const prefix = PrefixStats.prefixOf(phoneNumber, rules)
  const fraud = checkFraud(context, prefix, rules)
  const { prefixStats } = fraud.writes
  const refusalWrites = { account, ...counted, ...fraud.writes }
  if (fraud.denied !== undefined) return answer(fraud.denied, refusalWrites, fraud.events)
  const held = hold(context, command, phoneNumber, requestId)
  if (Result.isFailure(held)) return answer(held.failure, refusalWrites, fraud.events)
  // Another request is cancelled only for one that nothing else refuses.
  if (crowded !== undefined) return answer(crowded, { account, ...counted })
  const { charge, writes } = held.success
  const verification = Verification.open(
    {
      organization,
      requestId,
      phoneNumber,
      channel: draft.channel,
      purpose,
      metadata,
      attemptsRemaining: limits.attempts,
      digest: code.digest,
      pepper: code.pepper,
      sealed,
      messageSequence: charge.messageSequence,
      prefix,
    },
    expirySeconds,
    now,
  )
  const isKnown = KnownClient.find(recipient.clients, command.client, now) !== undefined
  const pending = { requestId, until: verification.expiresAt, ...(isKnown && { isKnown }) }
  return answer(
    { _tag: "Requested", ...charge, expiresAt: verification.expiresAt },
    {
      ...counted,
      ...fraud.writes,
      ...writes,
      recipient: Recipient.open(recipient, pending, now),
      verification,
      ...(prefixStats &&
        rules && { prefixStats: PrefixStats.count(prefixStats, "sent", rules, now) }),
    },
    fraud.events,
  )
}

const isFor = (self: Verification.Verification, purpose: string | undefined): boolean =>
  purpose === undefined || self.purpose === purpose

const noDigest = new Uint8Array(32)

/** Compares codes in constant time. Only this function compares codes. */
const codeMatches = (
  verification: Verification.Verification,
  candidate: PepperedDigest | undefined,
): boolean => Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest)

const checked = (
  self: Verification.Verification,
  isFirst: boolean,
  now: number,
): OwnResult<"CheckCode"> => {
  const { attemptsRemaining, phoneNumber } = self
  if (self.status === "verified") {
    return { _tag: "Verified", phoneNumber, verifiedAt: self.verifiedAt, isFirst }
  }
  if (self.status === "failed") return { _tag: "Failed", isFirst }
  return Verification.stateAt(self, now) === "expired"
    ? { _tag: "Expired" }
    : { _tag: "WrongCode", attemptsRemaining }
}

/**
 * Counts the guess of a check that has changed its request, and closes the request if it has ended. Without
 * `limits`, counts nothing.
 */
const countGuess = (
  { now, view }: Context,
  verification: Verification.Verification,
  client: KnownClient.Digests | undefined,
  limits: Limits | undefined,
): Recipient.Recipient => {
  const { organization, phoneNumber, requestId, status } = verification
  let recipient = view.recipient ?? Recipient.empty(organization, phoneNumber)
  if (limits !== undefined) {
    recipient =
      status === "verified"
        ? Recipient.addRight(recipient, client, now)
        : Recipient.addWrong(recipient, client, limits, now)
  }
  return status === "pending" ? recipient : Recipient.close(recipient, requestId)
}

export const checkCode: Decider<"CheckCode"> = (context, command) => {
  const { now, view } = context
  const { candidates, rules } = command
  const before = view.verification
  const isTest = before !== undefined && command.testNumbers.has(before.phoneNumber)
  const limits = isTest ? TestNumber.withoutBudgets(command.limits) : command.limits
  const admitted = admitCheck(context, command, limits)
  if (Result.isFailure(admitted)) return answer(admitted.failure)
  const { checks, ...counted } = admitted.success
  if (before === undefined || !isFor(before, command.purpose)) {
    return answer({ _tag: "NotFound" }, counted)
  }
  if (before.consumedAt !== null && limits.profile === "nist") {
    return answer({ _tag: "AlreadyConsumed" }, counted)
  }
  const candidate = candidates.find(({ pepper }) => pepper === before.pepper)
  if (candidate === undefined && Verification.stateAt(before, now) === "pending") {
    return answer({ _tag: "UnknownPepper" })
  }
  const code = codeMatches(before, candidate) ? "right" : "wrong"
  const after = Verification.check(before, code, now)
  const isFirst = after !== before
  const result = checked(after, isFirst, now)
  const verification = checks === undefined ? after : { ...after, checks }
  if (verification === before) return answer(result, counted)
  if (!isFirst) return answer(result, { ...counted, verification })
  const recipient = countGuess(context, after, command.client, isTest ? undefined : limits)
  const closed = {
    ...counted,
    verification,
    ...(recipient === view.recipient ? {} : { recipient }),
  }
  if (verification.status === "pending") return answer(result, closed)
  const given = about(verification, now)
  return verification.status === "verified"
    ? answer(result, { ...closed, ...recount(context, rules, "verified") }, [
        { _tag: "Verified", ...given },
      ])
    : answer(result, closed, [{ _tag: "Failed", ...given, reason: "attempts" }])
}

export const resetGuesses: Decider<"ResetGuesses"> = (context, command) => {
  const { account, view } = context
  const { actor, phoneNumber } = command
  const recipient = Recipient.resetGuesses(recipientOf(context, command))
  return answer(
    { _tag: "GuessesReset" },
    view.recipient === undefined && view.erased === undefined
      ? {}
      : { account, ...endRestored(context), recipient },
    [],
    // Also without an effect: the audit shows that it was tried.
    [AuditEntry.draft({ actor, action: "guesses.reset", target: mask(phoneNumber) })],
  )
}

export const observeVerification: Decider<"ObserveVerification"> = ({ account, now, view }) => {
  const { verification } = view
  if (verification === undefined) return answer({ _tag: "NotFound" })
  const mustRemember = Verification.mustRemember(verification, view.account?.lastAt ?? now, now)
  return answer({ _tag: "Observed", verification, now }, mustRemember ? { account } : {})
}

export const cancelVerification: Decider<"CancelVerification"> = ({ account, now, view }) => {
  const before = view.verification
  if (before === undefined) return answer({ _tag: "NotFound" })
  const cancelled = { _tag: "Cancelled", phoneNumber: before.phoneNumber } as const
  switch (Verification.stateAt(before, now)) {
    case "verified":
      return answer({ _tag: "AlreadyVerified" })
    case "expired":
      return answer({ _tag: "Expired" }, { account })
    case "failed":
      return answer(cancelled)
    case "pending":
      return answer(
        cancelled,
        {
          account,
          verification: Verification.fail(before, now),
          recipient: closeRecipient(view.recipient, before),
        },
        [{ _tag: "Cancelled", ...about(before, now) }],
      )
  }
}

export const consumeVerification: Decider<"ConsumeVerification"> = (
  context,
  { idempotency, profile, purpose, requestId },
) => {
  const { account, now, view } = context
  const before = view.verification
  if (before === undefined || !isFor(before, purpose)) return answer({ _tag: "NotFound" })
  if (before.status === "verified") {
    if (before.consumedAt !== null) return answer({ _tag: "AlreadyConsumed" })
    if (profile === "nist" && Verification.isOver(before, now)) {
      return answer({ _tag: "Expired" }, { account })
    }
    const verification = { ...before, consumedAt: now }
    return answer(
      { _tag: "Consumed", verification, verifiedAt: before.verifiedAt, consumedAt: now },
      {
        account,
        verification,
        ...(idempotency && {
          idempotencyKey: newKey(context, idempotency, { messageSequence: null, requestId }),
        }),
      },
      [{ _tag: "Consumed", ...about(before, now) }],
    )
  }
  switch (Verification.stateAt(before, now)) {
    case "expired":
      return answer({ _tag: "Expired" }, { account })
    case "failed":
      return answer({ _tag: "AlreadyFailed" })
    default:
      return answer({ _tag: "NotVerified" })
  }
}
