/** The rules of one-time codes. */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import type { Command, PepperedDigest, OwnResult, Suspected } from "../Command.ts"
import * as KnownClient from "../../domain/KnownClient.ts"
import type { Limits } from "../../domain/Limits.ts"
import * as PrefixStats from "../../domain/PrefixStats.ts"
import * as Recipient from "../../domain/Recipient.ts"
import * as TestNumber from "../../domain/TestNumber.ts"
import * as Verification from "../../domain/Verification.ts"
import {
  answer,
  type Context,
  type Decider,
  type Effects,
  failRequest,
  hold,
  noEffects,
  recount,
} from "./decider.ts"
import { admitCheck, admitSend } from "./guards.ts"

export const admitVerification: Decider<"AdmitVerification"> = (context, command) =>
  Result.match(admitSend(context, command, false), {
    onFailure: (refusal) => refusal,
    onSuccess: (writes) => answer({ _tag: "Admitted" }, { account: context.account, ...writes }),
  })

export const requestVerification: Decider<"RequestVerification"> = (context, command) => {
  const { code, draft, expirySeconds, limits, organization, phoneNumber, requestId, rules } =
    command
  const { account, now } = context
  const admitted = admitSend(context, command, command.isCounted)
  if (Result.isFailure(admitted)) return admitted.failure
  const { recipient } = admitted.success
  const prefix = PrefixStats.prefixOf(phoneNumber, rules)
  const fraud = checkFraud(context, prefix, command)
  const { prefixStats } = fraud.writes
  const refusalWrites = { account, ...admitted.success, ...fraud.writes }
  if (fraud.denied !== undefined) return answer(fraud.denied, refusalWrites, fraud.events)
  const held = hold(context, command, phoneNumber, requestId)
  if (Result.isFailure(held)) return answer(held.failure, refusalWrites, fraud.events)
  const { charge, writes } = held.success
  const verification = Verification.open(
    {
      organization,
      requestId,
      phoneNumber,
      channel: draft.channel,
      attemptsRemaining: limits.attempts,
      digest: code.digest,
      pepper: code.pepper,
      messageSequence: charge.messageSequence,
      prefix,
    },
    expirySeconds,
    now,
  )
  const isKnown = KnownClient.find(recipient.clients, command.client, now) !== undefined
  const pending = { requestId, until: verification.expiresAt, ...(isKnown && { isKnown }) }
  return answer(
    { _tag: "Requested", ...charge },
    {
      ...admitted.success,
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

export const followVerification: Decider<"FollowVerification"> = (context, command) => {
  const { carrier, message, verification } = context.view
  const { draft, isUnsent, messageSequence, requestId, rules } = command
  if (verification === undefined) return answer({ _tag: "NotFound" })
  // This command has already taken effect, and its answer was lost. The message is paid for and must be sent.
  if (verification.messageSequence !== messageSequence && carrier?.id === draft.id) {
    const { balance } = context.account
    return answer({ _tag: "Followed", messageSequence: carrier.sequence, balance })
  }
  if (
    Verification.stateAt(verification, context.now) !== "pending" ||
    verification.messageSequence !== messageSequence ||
    message?.status === "delivered"
  ) {
    return answer({ _tag: "NotNeeded" })
  }
  const held = hold(context, command, verification.phoneNumber, requestId)
  if (Result.isFailure(held)) {
    if (!isUnsent) return answer(held.failure)
    const failed = failRequest(context, rules)
    return answer(held.failure, { account: context.account, ...failed.writes }, failed.events)
  }
  const { charge, writes } = held.success
  return answer(
    { _tag: "Followed", ...charge },
    {
      ...writes,
      verification: Verification.follow(verification, draft.channel, charge.messageSequence),
    },
  )
}

interface FraudCheck extends Effects {
  /** Why no code may be sent to the prefix now; `undefined` if one may. */
  readonly denied?: Suspected
}

const checkFraud = (
  { now, view }: Context,
  prefix: string | null,
  { organization, rules }: Command<"RequestVerification">,
): FraudCheck => {
  if (prefix === null || rules === undefined) return noEffects
  const before = PrefixStats.at(
    view.prefixStats ?? PrefixStats.empty(organization, prefix),
    rules,
    now,
  )
  const suspicions = PrefixStats.suspicions(before, rules, now)
  const { findings, prefixStats } = PrefixStats.suspect(before, suspicions, rules, now)
  const effects: Effects = {
    writes: { prefixStats, findings },
    events: findings.map((finding) => ({ _tag: "FraudSuspected", ...finding })),
  }
  if (rules.action === "record" || suspicions.length === 0) return effects
  const retryAfterSeconds = PrefixStats.retryAfterSeconds(before, rules, now)
  return { ...effects, denied: { _tag: "Suspected", retryAfterSeconds } }
}

const noDigest = new Uint8Array(32)

/** Compares codes in constant time. Only this function compares codes. */
const codeMatches = (
  verification: Verification.Verification,
  candidates: ReadonlyArray<PepperedDigest>,
): boolean => {
  const candidate = candidates.find(({ pepper }) => pepper === verification.pepper)
  return (
    Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest) &&
    candidate !== undefined
  )
}

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
  const recipient = view.recipient ?? Recipient.empty(organization, phoneNumber)
  const counted =
    limits === undefined
      ? recipient
      : status === "verified"
        ? Recipient.addRight(recipient, client, now)
        : Recipient.addWrong(recipient, client, limits, now)
  return status === "pending" ? counted : Recipient.close(counted, requestId)
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
  if (before === undefined) return answer({ _tag: "NotFound" }, counted)
  const code = codeMatches(before, candidates) ? "right" : "wrong"
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
  const { organization, phoneNumber, requestId } = verification
  const about = { organization, at: now, requestId, phoneNumber }
  return verification.status === "verified"
    ? answer(result, { ...closed, ...recount(context, rules, "verified") }, [
        { _tag: "Verified", ...about },
      ])
    : answer(result, closed, [{ _tag: "Failed", ...about, reason: "attempts" }])
}

export const resetGuesses: Decider<"ResetGuesses"> = ({ account, view: { recipient } }) =>
  answer(
    { _tag: "GuessesReset" },
    recipient === undefined ? {} : { account, recipient: Recipient.resetGuesses(recipient) },
  )

export const observeVerification: Decider<"ObserveVerification"> = ({ account, now, view }) => {
  const { verification } = view
  if (verification === undefined) return answer({ _tag: "NotFound" })
  const mustRemember = Verification.mustRemember(verification, view.account?.lastAt ?? now, now)
  return answer({ _tag: "Observed", verification, now }, mustRemember ? { account } : {})
}
