/** The rules of requests: their opening and their end without success. */
import * as Result from "effect/Result"
import * as KnownClient from "../../domain/verifications/KnownClient.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as PrefixStats from "../../domain/fraud/PrefixStats.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import * as Decider from "../shared/Decider.ts"
import { countSend, tooManyPending } from "../shared/Guards.ts"
import type * as Shared from "../shared/Results.ts"
import type { Insufficient } from "../../domain/money/Account.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { NewMessage } from "../../domain/messages/Message.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import type { Capped } from "../../domain/money/Spending.ts"

export interface Commands {
  /** Counts a verification request without sending one yet. */
  readonly AdmitVerification: Shared.Send & Shared.ToNumber & { readonly limits: Limits }
  /** Opens a verification request and charges its message. */
  readonly RequestVerification: Shared.Send &
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
      readonly draft: NewMessage
    }
  /** Ends a pending request without success. */
  readonly CancelVerification: { readonly version: number; readonly requestId: RequestId }
}

export interface Results {
  readonly AdmitVerification: Shared.Tagged<"Admitted"> | Shared.OverLimit | Shared.TooManyPending
  readonly RequestVerification:
    | (Shared.Tagged<"Requested"> & Shared.Charge & { readonly expiresAt: number })
    | Shared.Tagged<"RequestIdTaken">
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
        rules && { prefixStats: PrefixStats.count(prefixStats, "sent", rules, now) }),
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
