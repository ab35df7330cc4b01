/** Which codes go out by SMS because a WhatsApp message has not arrived. */
import * as Effect from "effect/Effect"
import { Limits } from "../../domain/limits/Limits.ts"
import * as Sender from "../../domain/messages/Sender.ts"
import type * as Organization from "../../domain/organizations/Organization.ts"
import * as Prefixes from "../../domain/values/PrefixList.ts"
import { Fallback } from "../../engine/SmsFallback.ts"
import type { Wording } from "./codeTexts.ts"
import type { Delivery } from "./sending.ts"

export type BySms = <A extends Delivery & Wording>(
  code: A,
  organization: Organization.Organization,
) => A | undefined

export const makeSmsFallback = Effect.gen(function* () {
  const fallback = yield* Fallback
  const hostLimits = yield* Limits

  const bySms: BySms = (code, { senders, settings }) => {
    if (fallback === undefined || code.channel !== "whatsapp") return undefined
    if (Prefixes.isBlocked(settings, code.phoneNumber)) return undefined
    if (!hostLimits.codeChannels.includes("sms")) return undefined
    const sender = Sender.resolveOrDefault(senders, "sms", code.requestedSender)
    return sender && { ...code, channel: "sms", sender }
  }

  /** How long a message may take to arrive before the code goes out by SMS; `undefined` if it never does. */
  const followMillisOf = (
    code: Delivery & Wording,
    organization: Organization.Organization,
  ): number | undefined =>
    fallback === undefined || bySms(code, organization) === undefined
      ? undefined
      : Math.min(fallback.reportWithinMillis, code.expirySeconds * 500)

  return { bySms, followMillisOf }
})
