/** The rules of requests: their opening, their further messages, and their end without success. */
import * as Result from "effect/Result"
import * as KnownClient from "../../domain/verifications/KnownClient.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as PrefixStats from "../../domain/fraud/PrefixStats.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import * as Decider from "../shared/Decider.ts"
import { countSend, tooManyPending } from "../shared/Guards.ts"
import type * as Shared from "../shared/Results.ts"
import type { Insufficient, Capped } from "../../domain/money/Account.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import * as Message from "../../domain/messages/Message.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"

export interface Commands {
  /** Counts a verification request without sending one yet. */
  readonly AdmitVerification: Shared.Send & Shared.ToNumber & { readonly limits: Limits }
  /** Opens a verification request and charges its message. */
  readonly RequestVerification: Shared.Send &
    Shared.OfQueued &
    Shared.ToNumber & {
      readonly requestId: RequestId
      /** Whether the caller has chosen the id, so that another request may have it. */
      readonly mayBeTaken?: boolean
      readonly code: Shared.CodeDigest
      /** The code, encrypted; `Verification.sealed`. */
      readonly sealed: Uint8Array
      readonly purpose: string | null
      readonly metadata: string | null
      readonly expirySeconds: number
      readonly limits: Limits
      /** Fraud rules for the number's prefix; `undefined` when fraud detection is off. */
      readonly rules: PrefixStats.Rules | undefined
      /** Whether `AdmitVerification` has already counted the request. */
      readonly isCounted: boolean
      readonly draft: Message.NewMessage
    }
  /** Ends a pending request without success. */
  readonly CancelVerification: { readonly version: number; readonly requestId: RequestId }
  /** Charges one more message with a request's code, because the previous one has not arrived. */
  readonly FollowVerification: {
    readonly version: number
    readonly requestId: RequestId
    /** The message that has not arrived. If another message already follows it, no more is needed. */
    readonly messageSequence: number
    readonly limits: Limits
    readonly rules: PrefixStats.Rules | undefined
    readonly draft: Message.NewMessage
  }
  /** Gives up the message that was to follow. A request whose code was never sent fails. */
  readonly EndFollow: {
    readonly requestId: RequestId
    readonly messageSequence: number
    readonly rules: PrefixStats.Rules | undefined
  }
  /** Counts that a code is sent again, without sending it yet. */
  readonly AdmitResend: Resend
  /** Charges one more message with a request's code, because a caller wants it again. */
  readonly ResendVerification: Resend & {
    readonly rules: PrefixStats.Rules | undefined
    /** Whether `AdmitResend` has already counted it. */
    readonly isCounted: boolean
    readonly draft: Message.NewMessage
  }
}

export interface Results {
  readonly AdmitVerification: Shared.Tagged<"Admitted"> | Shared.OverLimit | Shared.TooManyPending
  readonly RequestVerification:
    | (Shared.Tagged<"Requested"> & Shared.Charge & { readonly expiresAt: number })
    | Shared.Tagged<"RequestIdTaken">
    | Shared.NotQueued
    | Shared.OverLimit
    | Shared.TooManyPending
    | Shared.Suspected
    | Capped
    | Insufficient
  readonly CancelVerification:
    | { readonly _tag: "Cancelled"; readonly phoneNumber: PhoneNumber }
    | Shared.Tagged<"AlreadyVerified">
    | Shared.Expired
    | Shared.NotFound
  readonly FollowVerification:
    /** `after`, `traceparent`: the status and the trace of the message that has not arrived. */
    | (Shared.Tagged<"Followed"> &
        Shared.Charge &
        Pick<Message.Message, "traceparent"> & { readonly after: Message.Status })
    | Shared.NotNeeded
    | Shared.NotFound
    | Capped
    | Insufficient
  readonly EndFollow: Shared.Tagged<"Ended"> | Shared.NotFound
  readonly AdmitResend: Shared.Tagged<"Admitted"> | Shared.NotResent
  readonly ResendVerification:
    | (Shared.Tagged<"Resent"> &
        Shared.Charge & {
          readonly expiresAt: number
          readonly resends: number
          readonly sentAt: number
        })
    | Shared.NotResent
    | Shared.Suspected
    | Capped
    | Insufficient
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

export const admitVerification: Decide<"AdmitVerification"> = (context, command) => {
  const { account, now } = context
  const counted = countSend(context, command, Decider.recipientOf(context, command))
  if (Result.isFailure(counted)) return Decider.answer(counted.failure)
  const crowded = tooManyPending(counted.success.recipient, command, now)
  return Decider.answer(crowded ?? { _tag: "Admitted" }, {
    account,
    ...Decider.endRestored(context),
    ...counted.success,
  })
}

export const requestVerification: Decide<"RequestVerification"> = (context, command) => {
  const { code, draft, expirySeconds, limits, phoneNumber, requestId, rules } = command
  const { metadata, organization, purpose, sealed } = command
  const { account, now, view } = context
  if (view.verification !== undefined) return Decider.answer({ _tag: "RequestIdTaken" })
  const before = Decider.recipientOf(context, command)
  const admitted = command.isCounted
    ? Result.succeed({ recipient: before })
    : countSend(context, command, before)
  if (Result.isFailure(admitted)) return Decider.answer(admitted.failure)
  const restored = Decider.endRestored(context)
  const counted = restored ? { ...restored, ...admitted.success } : admitted.success
  const { recipient } = counted
  const crowded = tooManyPending(recipient, command, now)
  if (crowded !== undefined && crowded.displaces === undefined) {
    return Decider.answer(crowded, { account, ...counted })
  }
  const prefix = PrefixStats.prefixOf(phoneNumber, rules)
  const fraud = Decider.checkFraud(context, prefix, rules)
  const { prefixStats } = fraud.writes
  const refusalWrites = { account, ...counted, ...fraud.writes }
  if (fraud.denied !== undefined) return Decider.answer(fraud.denied, refusalWrites, fraud.events)
  const held = Decider.hold(context, command, phoneNumber, requestId)
  if (Result.isFailure(held)) return Decider.answer(held.failure, refusalWrites, fraud.events)
  // Another request is cancelled only for one that nothing else refuses.
  if (crowded !== undefined) return Decider.answer(crowded, { account, ...counted })
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
  return Decider.answer(
    { _tag: "Requested", ...charge, expiresAt: verification.expiresAt },
    {
      ...counted,
      ...fraud.writes,
      ...writes,
      recipient: Recipient.open(recipient, pending, now),
      verification,
      ...(prefixStats &&
        rules && { prefixStats: PrefixStats.count(prefixStats, "sent", rules, now, draft.charge) }),
    },
    fraud.events,
  )
}

export const cancelVerification: Decide<"CancelVerification"> = ({ account, now, view }) => {
  const before = view.verification
  if (before === undefined) return Decider.answer({ _tag: "NotFound" })
  const cancelled = { _tag: "Cancelled", phoneNumber: before.phoneNumber } as const
  switch (Verification.stateAt(before, now)) {
    case "verified":
      return Decider.answer({ _tag: "AlreadyVerified" })
    case "expired":
      return Decider.answer({ _tag: "Expired" }, { account })
    case "failed":
      return Decider.answer(cancelled)
    case "pending":
      return Decider.answer(
        cancelled,
        {
          account,
          verification: Verification.fail(before, now),
          recipient: Decider.closeRecipient(view.recipient, before),
        },
        [{ _tag: "Cancelled", ...Decider.about(before, now) }],
      )
  }
}

interface Resend extends Shared.Send {
  readonly version: number
  readonly requestId: RequestId
  readonly limits: Limits
}

/** No message follows any more. A request whose code was certainly not sent fails. */
const stopFollowing = (
  context: Decider.Context,
  message: Message.Message,
  { rules }: Shared.Of<Commands, "FollowVerification" | "EndFollow">,
): Decider.Effects => {
  const isCarrier = context.view.verification?.messageSequence === message.sequence
  const failed =
    isCarrier && Message.isUnsentStatus(message.status)
      ? Decider.failRequest(context, rules)
      : Decider.noEffects
  if (message.followAt === null && failed === Decider.noEffects) return Decider.noEffects
  const { account } = context
  return {
    ...failed,
    writes: { account, message: Message.withoutFollow(message), ...failed.writes },
  }
}

export const followVerification: Decide<"FollowVerification"> = (context, command) => {
  const { carrier, message, verification } = context.view
  const { draft, messageSequence, requestId } = command
  if (verification === undefined || message === undefined)
    return Decider.answer({ _tag: "NotFound" })
  // This command has already taken effect, and its answer was lost. The message is paid for and must be sent.
  if (verification.messageSequence !== messageSequence && carrier?.id === draft.id) {
    const { balance } = context.account
    const { status: after, traceparent } = message
    const charge = { messageSequence: carrier.sequence, balance }
    return Decider.answer({ _tag: "Followed", ...charge, after, traceparent })
  }
  if (
    Verification.stateAt(verification, context.now) !== "pending" ||
    verification.messageSequence !== messageSequence ||
    message.status === "delivered"
  ) {
    return Decider.answer({ _tag: "NotNeeded" }, stopFollowing(context, message, command).writes)
  }
  const { status: after, traceparent } = message
  const follower = { ...command, draft: { ...draft, traceparent } }
  const held = Decider.hold(context, follower, verification.phoneNumber, requestId)
  if (Result.isFailure(held)) {
    const { events, writes } = stopFollowing(context, message, command)
    return Decider.answer(held.failure, writes, events)
  }
  const { charge, writes } = held.success
  const next = { channel: draft.channel, sequence: charge.messageSequence }
  const isLost = Message.isLostStatus(message.status)
  return Decider.answer(
    { _tag: "Followed", ...charge, after, traceparent },
    {
      ...writes,
      followed: Message.withoutFollow(message),
      verification: Verification.follow(verification, next, isLost, context.now),
    },
  )
}

export const endFollow: Decide<"EndFollow"> = (context, command) => {
  const { message } = context.view
  if (message === undefined) return Decider.answer({ _tag: "NotFound" })
  const { events, writes } = stopFollowing(context, message, command)
  return Decider.answer({ _tag: "Ended" }, writes, events)
}

type Refusal = Exclude<Results["AdmitResend"], { readonly _tag: "Admitted" }>

interface Admitted extends Pick<Decider.Writes, "client"> {
  readonly verification: Verification.Verification
  readonly recipient: Recipient.Recipient
}

/** The pending request, counted for its number and the client; otherwise why its code is not sent again. */
const admit = (
  context: Decider.Context,
  command: Shared.Of<Commands, "AdmitResend" | "ResendVerification">,
  isCounted: boolean,
): Result.Result<Admitted, Refusal> => {
  const { now, view } = context
  const { limits } = command
  const { verification } = view
  if (verification === undefined) return Result.fail({ _tag: "NotFound" })
  const state = Verification.stateAt(verification, now)
  if (state === "verified") return Result.fail({ _tag: "AlreadyVerified" })
  if (state === "failed") return Result.fail({ _tag: "AlreadyFailed" })
  if (state === "expired") return Result.fail({ _tag: "Expired" })
  if (verification.resends >= limits.resends) return Result.fail({ _tag: "ResendsExhausted" })
  const { organization, phoneNumber } = verification
  const recipient = view.recipient ?? Recipient.empty(organization, phoneNumber)
  if (isCounted) return Result.succeed({ verification, recipient })
  const wait = Verification.resendAt(verification, limits, now) - now
  if (wait > 0) {
    return Result.fail({ _tag: "Cooldown", retryAfterSeconds: Math.ceil(wait / 1_000) })
  }
  return Result.map(countSend(context, command, recipient), (counted) => ({
    verification,
    ...counted,
  }))
}

/** An expiry that is shown has to be durable. */
const refuse = (context: Decider.Context, refusal: Refusal) =>
  Decider.answer(refusal, refusal._tag === "Expired" ? { account: context.account } : {})

export const admitResend: Decide<"AdmitResend"> = (context, command) => {
  const admitted = admit(context, command, false)
  if (Result.isFailure(admitted)) return refuse(context, admitted.failure)
  // The cooldown begins here, so that lookups of the number are limited as well.
  const verification = { ...admitted.success.verification, sentAt: context.now }
  return Decider.answer(
    { _tag: "Admitted" },
    { account: context.account, ...admitted.success, verification },
  )
}

export const resendVerification: Decide<"ResendVerification"> = (context, command) => {
  const { carrier } = context.view
  const { draft, isCounted, requestId, rules } = command
  const admitted = admit(context, command, isCounted)
  if (Result.isFailure(admitted)) return refuse(context, admitted.failure)
  const { verification, ...counted } = admitted.success
  const fraud = Decider.checkFraud(context, verification.prefix, rules)
  const refusalWrites = { account: context.account, ...counted, ...fraud.writes }
  if (fraud.denied !== undefined) return Decider.answer(fraud.denied, refusalWrites, fraud.events)
  const held = Decider.hold(context, command, verification.phoneNumber, requestId)
  if (Result.isFailure(held)) return Decider.answer(held.failure, refusalWrites, fraud.events)
  const { charge, writes } = held.success
  const next = { channel: draft.channel, sequence: charge.messageSequence }
  const isLost = carrier !== undefined && Message.isLostStatus(carrier.status)
  const resends = verification.resends + 1
  const followed = Verification.follow(verification, next, isLost, context.now)
  return Decider.answer(
    { _tag: "Resent", ...charge, expiresAt: verification.expiresAt, resends, sentAt: context.now },
    {
      ...counted,
      ...fraud.writes,
      ...writes,
      ...(carrier && { followed: Message.withoutFollow(carrier) }),
      verification: { ...followed, resends },
    },
    fraud.events,
  )
}
