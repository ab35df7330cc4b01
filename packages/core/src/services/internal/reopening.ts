/** Opens the seal of a request, so that its code can be sent again. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Brand from "../../domain/Brand.ts"
import type { Channel } from "../../domain/Channel.ts"
import { Codes } from "../Codes.ts"
import type { RequestId } from "../../domain/Ids.ts"
import type * as Organization from "../../domain/Organization.ts"
import type { Verification } from "../../domain/Verification.ts"
import { decodeSealed, type Wording } from "./codeTexts.ts"
import { type Delivery, makeSending } from "./sending.ts"

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
) => Effect.Effect<KnownCode | undefined>

export const makeReopen = Effect.gen(function* () {
  const codes = yield* Codes
  const sendingTo = yield* makeSending

  const reopen: Reopen = Effect.fnUntraced(function* (
    verification,
    { brands, id },
    now,
    channel = verification.channel,
  ) {
    const { metadata, pepper, phoneNumber, purpose, requestId, sealed } = verification
    if (sealed === null) return undefined
    const opened = yield* codes.open({ organization: id, requestId }, pepper, sealed)
    const content = opened && decodeSealed(Redacted.value(opened))
    if (content === undefined || Option.isNone(content)) return undefined
    const [code, locale, brand, payment] = content.value
    const sender = Brand.resolveOrDefault(brands, channel, brand ?? undefined)
    if (sender === undefined) return undefined
    return {
      organization: id,
      requestId,
      phoneNumber,
      channel,
      sender,
      sending: sendingTo(phoneNumber),
      code: Redacted.make(code, { label: "code" }),
      brand: brand ?? undefined,
      locale,
      payment: payment ?? undefined,
      purpose,
      metadata,
      expirySeconds: Math.max(1, Math.floor((verification.expiresAt - now) / 1_000)),
    }
  })

  return reopen
})
