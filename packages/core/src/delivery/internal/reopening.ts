/** Opens the seal of a request, so that its code can be sent again. */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Sender from "../../domain/messages/Sender.ts"
import type { Channel } from "../../domain/values/Channel.ts"
import { Codes } from "../../engine/Codes.ts"
import type { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { Digests } from "../../domain/verifications/KnownClient.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type * as Organization from "../../domain/organizations/Organization.ts"
import { stateAt, type Verification } from "../../domain/verifications/Verification.ts"
import { unknownCodeSecret } from "../../engine/CodeSecrets.ts"
import { openSeal, type Wording } from "./codeTexts.ts"
import { type Delivery, makeSending } from "./sending.ts"

/** A code whose request is valid. */
export interface NewCode extends Delivery, Wording {
  readonly codeLength: number
  readonly purpose: string | null
  readonly metadata: string | null
  readonly client: Digests | undefined
  /** Digests of the phone number, if the organization has recently erased numbers. */
  readonly erased: Digests | undefined
  /** The id that the caller has chosen. */
  readonly requestId: RequestId | undefined
}

/** A code that was sent before. */
export interface KnownCode extends Delivery, Wording, Pick<Verification, "metadata" | "purpose"> {
  readonly requestId: RequestId
  readonly code: Redacted.Redacted<string>
}

export type Reopen = (
  verification: Verification,
  organization: Organization.Organization,
  now: number,
  channel?: Channel | undefined,
) => Effect.Effect<KnownCode | undefined, StoreUnavailable>

export const makeReopen = Effect.gen(function* () {
  const codes = yield* Codes
  const sendingTo = yield* makeSending

  const reopen: Reopen = Effect.fnUntraced(function* (
    verification,
    { senders, id },
    now,
    channel = verification.channel,
  ) {
    const { metadata, phoneNumber, purpose, requestId } = verification
    // Another process has the secret, and can send the code.
    if (!codes.knows(verification.pepper) && stateAt(verification, now) === "pending") {
      return yield* unknownCodeSecret
    }
    const content = yield* openSeal(codes, id, verification)
    if (content === undefined) return undefined
    const sender = Sender.resolveOrDefault(senders, channel, content.requestedSender)
    if (sender === undefined) return undefined
    return {
      organization: id,
      requestId,
      phoneNumber,
      channel,
      sender,
      sending: sendingTo(phoneNumber),
      ...content,
      purpose,
      metadata,
      expirySeconds: Math.max(1, Math.floor((verification.expiresAt - now) / 1_000)),
    }
  })

  return reopen
})
