/** The rules of checks, and of what follows them. */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import type * as KnownClient from "../../domain/verifications/KnownClient.ts"
import type { Limits, Profile } from "../../domain/limits/Limits.ts"
import { mask, type PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as TestNumber from "../../domain/verifications/TestNumber.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import * as Decider from "../shared/Decider.ts"
import { admitCheck } from "../shared/Guards.ts"
import type * as Shared from "../shared/Results.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { OrganizationEvent } from "../../domain/events/Event.ts"
import type { Rules } from "../../domain/fraud/PrefixStats.ts"

interface OfPurpose {
  readonly version: number
  readonly requestId: RequestId
  /** A request with another purpose is not found. `undefined`: any purpose. `null`: only requests without one. */
  readonly purpose: string | null | undefined
}

/** A code to compare with the code of a request. */
interface Comparison extends Shared.OfClient, OfPurpose {
  /** The digests of the code under every secret in use. */
  readonly candidates: ReadonlyArray<Shared.CodeDigest>
  readonly limits: Limits
  readonly rules: Rules | undefined
  /** Phone numbers whose checks use up no budget and reset none. */
  readonly testNumbers: ReadonlySet<string>
}

export interface Commands {
  /** Compares a code with the code of a request. A verified request needs no code. */
  readonly CheckCode: Comparison
  /** Compares a code, also with the code of a verified request, and uses the request up if the code is right. */
  readonly VerifyCode: Comparison & Shared.Idempotent
  /** Uses a verified request up. */
  readonly ConsumeVerification: Shared.Idempotent &
    OfPurpose & {
      /** Under `nist`, a verification cannot be used after the expiry of its code. */
      readonly profile: Profile
    }
  /** Forgets the wrong codes for a phone number. */
  readonly ResetGuesses: Shared.Administrative & Shared.ToNumber
  /** Makes the time durable at which a request was found to be expired. */
  readonly ObserveVerification: { readonly requestId: RequestId }
}

interface Verified extends Shared.Tagged<"Verified"> {
  readonly phoneNumber: PhoneNumber
  readonly verifiedAt: number
  readonly isFirst: boolean
}

interface Consumed extends Shared.Tagged<"Consumed"> {
  readonly verification: Verification.Verification
  readonly verifiedAt: number
  readonly consumedAt: number
}

/** Why a code is not accepted. `AlreadyConsumed`: a check answers so only under the profile `nist`. */
type NotAccepted =
  | Shared.Tagged<"AlreadyConsumed">
  | { readonly _tag: "WrongCode"; readonly attemptsRemaining: number }
  | Shared.Tagged<"UnknownCodeSecret">
  | { readonly _tag: "Failed"; readonly isFirst: boolean }
  | Shared.Expired
  | Shared.OverLimit
  | Shared.NotFound

export interface Results {
  readonly CheckCode: Verified | NotAccepted
  readonly VerifyCode: Consumed | NotAccepted
  readonly ConsumeVerification:
    | Consumed
    | Shared.Tagged<"AlreadyConsumed">
    | Shared.Tagged<"NotVerified">
    | Shared.AlreadyFailed
    | Shared.Expired
    | Shared.NotFound
  readonly ResetGuesses: Shared.Tagged<"GuessesReset">
  readonly ObserveVerification:
    | {
        readonly _tag: "Observed"
        readonly verification: Verification.Verification
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | Shared.NotFound
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

const isFor = (self: Verification.Verification, purpose: OfPurpose["purpose"]): boolean =>
  purpose === undefined || self.purpose === purpose

const noDigest = new Uint8Array(32)

/** Compares codes in constant time. Only this function compares codes. */
const codeMatches = (
  verification: Verification.Verification,
  candidate: Shared.CodeDigest | undefined,
): boolean => Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest)

/** Why the request, which is not verified or not used up, does not accept the code. */
const notAccepted = (
  self: Verification.Verification,
  isFirst: boolean,
  now: number,
): NotAccepted => {
  const { attemptsRemaining } = self
  if (self.status === "failed") return { _tag: "Failed", isFirst }
  if (Verification.isOver(self, now)) return { _tag: "Expired" }
  return attemptsRemaining === 0
    ? { _tag: "Failed", isFirst }
    : { _tag: "WrongCode", attemptsRemaining }
}

/**
 * Counts the guess of a check that has changed its request, and closes the request if it has ended. Without
 * `limits`, counts nothing.
 */
const countGuess = (
  { now, view }: Decider.Context,
  verification: Verification.Verification,
  code: "right" | "wrong",
  client: KnownClient.Digests | undefined,
  limits: Limits | undefined,
): Recipient.Recipient => {
  const { organization, phoneNumber, requestId, status } = verification
  let recipient = view.recipient ?? Recipient.empty(organization, phoneNumber)
  if (limits !== undefined) {
    recipient =
      code === "right"
        ? Recipient.addRight(recipient, client, now)
        : Recipient.addWrong(recipient, client, limits, now)
  }
  return status === "pending" ? recipient : Recipient.close(recipient, requestId)
}

/** The differences between a check and a check that uses the request up. */
interface Rule<A> {
  /** Whether a request that is used up is refused. */
  readonly isOnce: (limits: Limits) => boolean
  /** Whether the code of a request is compared. */
  readonly isOpen: (self: Verification.Verification, now: number) => boolean
  readonly apply: typeof Verification.check
  readonly resultOf: (self: Verification.Verification, isFirst: boolean, now: number) => A
}

const compare = <A>(
  context: Decider.Context,
  command: Shared.Of<Commands, "CheckCode" | "VerifyCode">,
  rule: Rule<A>,
): Decider.Decision<A | NotAccepted> => {
  const { now, view } = context
  const { candidates, rules } = command
  const before = view.verification
  const isTest = before !== undefined && command.testNumbers.has(before.phoneNumber)
  const limits = isTest ? TestNumber.withoutBudgets(command.limits) : command.limits
  const admitted = admitCheck(context, command, limits)
  if (Result.isFailure(admitted)) return Decider.answer(admitted.failure)
  const { checks, ...counted } = admitted.success
  if (before === undefined || !isFor(before, command.purpose)) {
    return Decider.answer({ _tag: "NotFound" }, counted)
  }
  if (before.consumedAt !== null && rule.isOnce(limits)) {
    return Decider.answer({ _tag: "AlreadyConsumed" }, counted)
  }
  const candidate = candidates.find(({ pepper }) => pepper === before.pepper)
  if (candidate === undefined && rule.isOpen(before, now)) {
    return Decider.answer({ _tag: "UnknownCodeSecret" })
  }
  const code = codeMatches(before, candidate) ? "right" : "wrong"
  const after = rule.apply(before, code, now)
  const isFirst = after !== before
  const result = rule.resultOf(after, isFirst, now)
  const verification = checks === undefined ? after : { ...after, checks }
  if (verification === before) return Decider.answer(result, counted)
  if (!isFirst) return Decider.answer(result, { ...counted, verification })
  const recipient = countGuess(context, after, code, command.client, isTest ? undefined : limits)
  const isVerified = before.status !== "verified" && after.status === "verified"
  return Decider.answer(
    result,
    {
      ...counted,
      verification,
      ...(recipient === view.recipient ? {} : { recipient }),
      ...(isVerified && Decider.recount(context, rules, "verified")),
    },
    eventsOf(before, after, now),
  )
}

const eventsOf = (
  before: Verification.Verification,
  after: Verification.Verification,
  now: number,
): ReadonlyArray<OrganizationEvent> => {
  const isEnded = after.status !== before.status
  const isConsumed = after.consumedAt !== before.consumedAt
  if (!isEnded && !isConsumed) return []
  const given = Decider.about(after, now)
  if (after.status === "failed") return [{ _tag: "Failed", ...given, reason: "attempts" }]
  if (!isConsumed) return [{ _tag: "Verified", ...given }]
  const consumed = { _tag: "Consumed", ...given } as const
  return isEnded ? [{ _tag: "Verified", ...given }, consumed] : [consumed]
}

const checking: Rule<Results["CheckCode"]> = {
  isOnce: ({ profile }) => profile === "nist",
  isOpen: (self, now) => Verification.stateAt(self, now) === "pending",
  apply: Verification.check,
  resultOf: (self, isFirst, now) => {
    if (self.status !== "verified") return notAccepted(self, isFirst, now)
    const { phoneNumber, verifiedAt } = self
    return { _tag: "Verified", phoneNumber, verifiedAt, isFirst }
  },
}

const verifying: Rule<Results["VerifyCode"]> = {
  isOnce: () => true,
  isOpen: Verification.isOpen,
  apply: Verification.verify,
  resultOf: (self, isFirst, now) => {
    if (self.consumedAt === null) return notAccepted(self, isFirst, now)
    const { consumedAt, verifiedAt } = self
    return { _tag: "Consumed", verification: self, verifiedAt, consumedAt }
  },
}

export const checkCode: Decide<"CheckCode"> = (context, command) =>
  compare(context, command, checking)

export const verifyCode: Decide<"VerifyCode"> = (context, command) => {
  const decision = compare(context, command, verifying)
  const { idempotency, requestId } = command
  if (idempotency === undefined || decision.result._tag !== "Consumed") return decision
  const idempotencyKey = Decider.newKey(context, idempotency, { messageSequence: null, requestId })
  return { ...decision, writes: { ...decision.writes, idempotencyKey } }
}

export const resetGuesses: Decide<"ResetGuesses"> = (context, command) => {
  const { account, view } = context
  const { actor, phoneNumber } = command
  const recipient = Recipient.resetGuesses(Decider.recipientOf(context, command))
  return Decider.answer(
    { _tag: "GuessesReset" },
    view.recipient === undefined && view.erased === undefined
      ? {}
      : { account, ...Decider.endRestored(context), recipient },
    [],
    // Also without an effect: the audit shows that it was tried.
    [AuditRecord.newRecord({ actor, action: "guesses.reset", target: mask(phoneNumber) })],
  )
}

export const observeVerification: Decide<"ObserveVerification"> = ({ account, now, view }) => {
  const { verification } = view
  if (verification === undefined) return Decider.answer({ _tag: "NotFound" })
  const mustRemember = Verification.mustRemember(verification, view.account?.lastAt ?? now, now)
  return Decider.answer({ _tag: "Observed", verification, now }, mustRemember ? { account } : {})
}

export const consumeVerification: Decide<"ConsumeVerification"> = (
  context,
  { idempotency, profile, purpose, requestId },
) => {
  const { account, now, view } = context
  const before = view.verification
  if (before === undefined || !isFor(before, purpose)) return Decider.answer({ _tag: "NotFound" })
  if (before.status === "verified") {
    if (before.consumedAt !== null) return Decider.answer({ _tag: "AlreadyConsumed" })
    if (profile === "nist" && Verification.isOver(before, now)) {
      return Decider.answer({ _tag: "Expired" }, { account })
    }
    const verification = { ...before, consumedAt: now }
    return Decider.answer(
      { _tag: "Consumed", verification, verifiedAt: before.verifiedAt, consumedAt: now },
      {
        account,
        verification,
        ...(idempotency && {
          idempotencyKey: Decider.newKey(context, idempotency, {
            messageSequence: null,
            requestId,
          }),
        }),
      },
      [{ _tag: "Consumed", ...Decider.about(before, now) }],
    )
  }
  switch (Verification.stateAt(before, now)) {
    case "expired":
      return Decider.answer({ _tag: "Expired" }, { account })
    case "failed":
      return Decider.answer({ _tag: "AlreadyFailed" })
    default:
      return Decider.answer({ _tag: "NotVerified" })
  }
}
