/** The rules of the messages that carry a code after the first: after a failure, and on request. */
import * as Result from "effect/Result"
import * as Message from "../../domain/messages/Message.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import * as Decider from "../shared/Decider.ts"
import { countSend } from "../shared/Guards.ts"
import type * as Shared from "../shared/Results.ts"
import type { Insufficient } from "../../domain/money/Account.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import type { Rules } from "../../domain/fraud/PrefixStats.ts"
import type { Capped } from "../../domain/money/Spending.ts"

interface Resend extends Shared.Send {
  readonly version: number
  readonly requestId: RequestId
  readonly limits: Limits
}

export interface Commands {
  /** Charges one more message with a request's code, because the previous one has not arrived. */
  readonly FollowVerification: {
    readonly version: number
    readonly requestId: RequestId
    /** The message that has not arrived. If another message already follows it, no more is needed. */
    readonly messageSequence: number
    readonly limits: Limits
    readonly rules: Rules | undefined
    readonly draft: Message.NewMessage
  }
  /** Gives up the message that was to follow. A request whose code was never sent fails. */
  readonly EndFollow: {
    readonly requestId: RequestId
    readonly messageSequence: number
    readonly rules: Rules | undefined
  }
  /** Counts that a code is sent again, without sending it yet. */
  readonly AdmitResend: Resend
  /** Charges one more message with a request's code, because a caller wants it again. */
  readonly ResendVerification: Resend & {
    readonly rules: Rules | undefined
    /** Whether `AdmitResend` has already counted it. */
    readonly isCounted: boolean
    readonly draft: Message.NewMessage
  }
}

export interface Results {
  readonly FollowVerification:
    /** `after`: the status of the message that has not arrived. */
    | (Shared.Tagged<"Followed"> & Shared.Charge & { readonly after: Message.Status })
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
    const after = message.status
    return Decider.answer({ _tag: "Followed", messageSequence: carrier.sequence, balance, after })
  }
  if (
    Verification.stateAt(verification, context.now) !== "pending" ||
    verification.messageSequence !== messageSequence ||
    message.status === "delivered"
  ) {
    return Decider.answer({ _tag: "NotNeeded" }, stopFollowing(context, message, command).writes)
  }
  const held = Decider.hold(context, command, verification.phoneNumber, requestId)
  if (Result.isFailure(held)) {
    const { events, writes } = stopFollowing(context, message, command)
    return Decider.answer(held.failure, writes, events)
  }
  const { charge, writes } = held.success
  const next = { channel: draft.channel, sequence: charge.messageSequence }
  const isLost = Message.isLostStatus(message.status)
  return Decider.answer(
    { _tag: "Followed", ...charge, after: message.status },
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
