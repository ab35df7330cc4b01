/** The rules of checks, and of what follows them. */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import * as AuditEntry from "../../domain/access/AuditEntry.ts"
import type * as KnownClient from "../../domain/verifications/KnownClient.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import { mask } from "../../domain/values/PhoneNumber.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as TestNumber from "../../domain/verifications/TestNumber.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import {
  about,
  answer,
  type Context,
  type Decider,
  newKey,
  recipientOf,
  endRestored,
  recount,
} from "../shared/Decider.ts"
import { admitCheck } from "../shared/Guards.ts"
import type {
  Of,
  CodeDigest,
  Repeatable,
  Administrative,
  OfClient,
  ToNumber,
  Tagged,
  OverLimit,
  NotFound,
  AlreadyFailed,
  Expired,
} from "../shared/Results.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { Profile } from "../../domain/limits/Limits.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import type { Rules } from "../../domain/fraud/PrefixStats.ts"

export interface Commands {
  /** Compares a code with the code of a request. */
  readonly CheckCode: OfClient & {
    readonly version: number
    readonly requestId: RequestId
    /** The digests of the code under every secret in use. */
    readonly candidates: ReadonlyArray<CodeDigest>
    /** A request with another purpose is not found. `undefined`: any purpose. */
    readonly purpose: string | undefined
    readonly limits: Limits
    readonly rules: Rules | undefined
    /** Phone numbers whose checks use up no budget and reset none. */
    readonly testNumbers: ReadonlySet<string>
  }
  /** Uses a verified request up. */
  readonly ConsumeVerification: Repeatable & {
    readonly version: number
    readonly requestId: RequestId
    /** A request with another purpose is not found. `undefined`: any purpose. */
    readonly purpose: string | undefined
    /** Under `nist`, a verification cannot be used after the expiry of its code. */
    readonly profile: Profile
  }
  /** Forgets the wrong codes for a phone number. */
  readonly ResetGuesses: Administrative & ToNumber
  /** Makes the time durable at which a request was found to be expired. */
  readonly ObserveVerification: { readonly requestId: RequestId }
}

export interface Results {
  readonly CheckCode:
    /** Under the profile `nist`, a verification is used once. */
    | Tagged<"AlreadyConsumed">
    | {
        readonly _tag: "Verified"
        readonly phoneNumber: PhoneNumber
        readonly verifiedAt: number
        readonly isFirst: boolean
      }
    | { readonly _tag: "WrongCode"; readonly attemptsRemaining: number }
    | Tagged<"UnknownCodeSecret">
    | { readonly _tag: "Failed"; readonly isFirst: boolean }
    | Expired
    | OverLimit
    | NotFound
  readonly ConsumeVerification:
    | {
        readonly _tag: "Consumed"
        readonly verification: Verification.Verification
        readonly verifiedAt: number
        readonly consumedAt: number
      }
    | Tagged<"AlreadyConsumed">
    | Tagged<"NotVerified">
    | AlreadyFailed
    | Expired
    | NotFound
  readonly ResetGuesses: Tagged<"GuessesReset">
  readonly ObserveVerification:
    | {
        readonly _tag: "Observed"
        readonly verification: Verification.Verification
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | NotFound
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

const isFor = (self: Verification.Verification, purpose: string | undefined): boolean =>
  purpose === undefined || self.purpose === purpose

const noDigest = new Uint8Array(32)

/** Compares codes in constant time. Only this function compares codes. */
const codeMatches = (
  verification: Verification.Verification,
  candidate: CodeDigest | undefined,
): boolean => Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest)

const checked = (
  self: Verification.Verification,
  isFirst: boolean,
  now: number,
): Results["CheckCode"] => {
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

export const checkCode: Decide<"CheckCode"> = (context, command) => {
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
    return answer({ _tag: "UnknownCodeSecret" })
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

export const resetGuesses: Decide<"ResetGuesses"> = (context, command) => {
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

export const observeVerification: Decide<"ObserveVerification"> = ({ account, now, view }) => {
  const { verification } = view
  if (verification === undefined) return answer({ _tag: "NotFound" })
  const mustRemember = Verification.mustRemember(verification, view.account?.lastAt ?? now, now)
  return answer({ _tag: "Observed", verification, now }, mustRemember ? { account } : {})
}

export const consumeVerification: Decide<"ConsumeVerification"> = (
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
