/**
 * The rules of one-time codes.
 */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import type { Command, Limited, PepperedDigest, TooManyPending } from "../Command.ts"
import type { Event } from "../../domain/Event.ts"
import * as Recipient from "../../domain/Recipient.ts"
import * as SlidingWindow from "../../domain/SlidingWindow.ts"
import * as Traffic from "../../domain/PrefixStats.ts"
import * as Verification from "../../domain/Verification.ts"
import {
  answer,
  type Context,
  type Decider,
  type Decision,
  failRequest,
  pay,
  recount,
  type Writes,
} from "./decider.ts"

const recipientOf = (
  { view }: Context,
  command: Command<"AdmitVerification" | "RequestVerification">,
) => view.recipient ?? Recipient.empty(command.organization, command.phoneNumber)

interface Counted {
  readonly recipient: Recipient.Recipient
}

/** Checks the two limits of a phone number: requests per window, and pending requests. */
const countVerification = (
  context: Context,
  command: Command<"AdmitVerification" | "RequestVerification">,
  counted: boolean,
): Result.Result<Counted, Decision<Limited | TooManyPending>> => {
  let recipient = recipientOf(context, command)
  if (!counted) {
    const admission = SlidingWindow.admit(recipient.sends, command.sendLimit, context.now)
    if (admission._tag === "Limited") return Result.fail(answer(admission))
    recipient = { ...recipient, sends: admission.window }
  }
  if (Recipient.pendingAt(recipient, context.now).length < command.pendingLimit) {
    return Result.succeed({ recipient })
  }
  const retryAfterSeconds = pendingWait(recipient, command, context.now)
  return Result.fail(
    answer({ _tag: "TooManyPending", retryAfterSeconds }, { account: context.account, recipient }),
  )
}

/** When a place becomes free, requests that were rejected until then may have used up the rate. */
const pendingWait = (
  recipient: Recipient.Recipient,
  { pendingLimit, sendLimit }: Pick<Command<"RequestVerification">, "pendingLimit" | "sendLimit">,
  now: number,
): number => {
  const seconds = Recipient.secondsUntilFree(recipient, pendingLimit, now)
  const admission = SlidingWindow.admit(recipient.sends, sendLimit, now + seconds * 1_000)
  return admission._tag === "Limited" ? seconds + admission.retryAfterSeconds : seconds
}

export const admitVerification: Decider<"AdmitVerification"> = (context, command) => {
  const counted = countVerification(context, command, false)
  return Result.isFailure(counted)
    ? counted.failure
    : answer(
        { _tag: "Admitted" },
        { account: context.account, recipient: counted.success.recipient },
      )
}

export const requestVerification: Decider<"RequestVerification"> = (context, command) => {
  const { account, now } = context
  const counted = countVerification(context, command, command.counted)
  if (Result.isFailure(counted)) return counted.failure
  const { recipient } = counted.success
  const watched = watch(context, command)
  if (watched.denied !== undefined) {
    return answer(
      { _tag: "Suspected", retryAfterSeconds: watched.denied },
      { account, recipient, ...watched.found },
      watched.events,
    )
  }
  const { draft, spendPerDay } = command
  const paid = pay(context, draft, command.phoneNumber, command.id, spendPerDay)
  if (Result.isFailure(paid)) {
    return answer(paid.failure, { account, recipient, ...watched.found }, watched.events)
  }
  const { entries, message } = paid.success
  const expiresAt = now + command.expirySeconds * 1_000
  return answer(
    { _tag: "Requested", messageSequence: message.sequence, balance: paid.success.account.balance },
    {
      account: paid.success.account,
      entries,
      message,
      recipient: Recipient.open(recipient, { id: command.id, until: expiresAt }, now),
      verification: {
        organization: command.organization,
        id: command.id,
        phoneNumber: command.phoneNumber,
        channel: command.draft.channel,
        status: "pending",
        createdAt: now,
        expiresAt,
        verifiedAt: null,
        attemptsRemaining: command.attempts,
        digest: command.code.digest,
        pepper: command.code.pepper,
        messageSequence: message.sequence,
      },
      ...watched.found,
      ...recount(watched.found.traffic, command.rules, (traffic, rules) =>
        Traffic.sent(traffic, rules, now),
      ),
    },
    watched.events,
  )
}

export const followVerification: Decider<"FollowVerification"> = (context, command) => {
  const { now, view } = context
  const { after, draft, id, rules, spendPerDay, unsent } = command
  const { carrier, verification } = view
  if (verification === undefined) return answer({ _tag: "NotFound" })
  // This command has already taken effect, and its answer was lost. The message is paid for and must be sent.
  if (verification.messageSequence !== after && carrier?.id === draft.id) {
    const { balance } = context.account
    return answer({ _tag: "Followed", messageSequence: carrier.sequence, balance })
  }
  if (
    Verification.stateAt(verification, now) !== "pending" ||
    verification.messageSequence !== after ||
    view.message?.status === "delivered"
  ) {
    return answer({ _tag: "NotNeeded" })
  }
  const paid = pay(context, draft, verification.phoneNumber, id, spendPerDay)
  if (Result.isFailure(paid)) {
    if (!unsent) return answer(paid.failure)
    const failed = failRequest(context, rules)
    return answer(paid.failure, { account: context.account, ...failed.writes }, failed.events)
  }
  const { account, entries, message } = paid.success
  return answer(
    { _tag: "Followed", messageSequence: message.sequence, balance: account.balance },
    {
      account,
      entries,
      message,
      verification: Verification.follow(verification, draft.channel, message.sequence),
    },
  )
}

interface FraudCheck {
  /** Seconds until codes are no longer denied; `undefined` if they are not denied. */
  readonly denied: number | undefined
  readonly found: Writes
  readonly events: ReadonlyArray<Event>
}

const noFraudCheck: FraudCheck = { denied: undefined, found: {}, events: [] }

/** Checks the statistics of the number's prefix, if fraud detection is on. */
const watch = (
  { now, view }: Context,
  { phoneNumber, organization, rules: all }: Command<"RequestVerification">,
): FraudCheck => {
  const rules = Traffic.rulesFor(all, phoneNumber)
  if (rules === undefined) return noFraudCheck
  const prefix = Traffic.prefixOf(phoneNumber, rules.prefixDigits)
  const before = Traffic.at(view.traffic ?? Traffic.empty(organization, prefix), rules, now)
  const suspicions = Traffic.suspicions(before, rules, now)
  const { findings, traffic } = Traffic.suspect(before, suspicions, rules, now)
  const isDenied = rules.action === "deny" && suspicions.length > 0
  return {
    denied: isDenied ? Traffic.retryAfterSeconds(before, rules, now) : undefined,
    found: { traffic, findings },
    events: findings.map((finding) => ({ _tag: "FraudSuspected", ...finding })),
  }
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

export const checkCode: Decider<"CheckCode"> = (context, command) => {
  const { now, view } = context
  const admission = SlidingWindow.admit(context.account.checks, command.limit, now)
  if (admission._tag === "Limited") return answer(admission)
  const account = { ...context.account, checks: admission.window }
  if (view.verification === undefined) return answer({ _tag: "NotFound" }, { account })
  const { createdAt, id, phoneNumber, organization } = view.verification
  const matches = codeMatches(view.verification, command.candidates)
  const checked = Verification.check(view.verification, matches, now)
  const recipient = view.recipient ?? Recipient.empty(organization, phoneNumber)
  const counted = recount(
    view.traffic,
    Traffic.rulesFor(command.rules, phoneNumber),
    (traffic, rules) => Traffic.verified(Traffic.at(traffic, rules, now), rules, createdAt),
  )
  const closed = {
    account,
    verification: checked.verification,
    recipient: Recipient.close(recipient, id),
  }
  switch (checked._tag) {
    case "Verified":
      return checked.first
        ? answer(
            { _tag: "Verified", phoneNumber, verifiedAt: checked.verifiedAt, first: true },
            { ...closed, ...counted },
            [{ _tag: "Verified", organization, at: now, requestId: id, phoneNumber }],
          )
        : answer(
            { _tag: "Verified", phoneNumber, verifiedAt: checked.verifiedAt, first: false },
            { account },
          )
    case "Failed":
      return checked.first
        ? answer({ _tag: "Failed", first: true }, closed, [
            {
              _tag: "Failed",
              organization,
              at: now,
              requestId: id,
              phoneNumber,
              reason: "attempts",
            },
          ])
        : answer({ _tag: "Failed", first: false }, { account })
    case "WrongCode":
      return answer(
        { _tag: "WrongCode", attemptsRemaining: checked.verification.attemptsRemaining },
        { account, verification: checked.verification },
      )
    case "Expired":
      return answer({ _tag: "Expired" }, { account })
  }
}

export const observeVerification: Decider<"ObserveVerification"> = (context) => {
  const { account, now, view } = context
  const { verification } = view
  if (verification === undefined) return answer({ _tag: "NotFound" })
  const observed = { _tag: "Observed", verification, now } as const
  return Verification.mustRemember(verification, view.account?.lastAt ?? now, now)
    ? answer(observed, { account })
    : answer(observed)
}
