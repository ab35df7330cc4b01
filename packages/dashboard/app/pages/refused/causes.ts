/** Why a call was refused, in the reader's words. */
import type { Refusal } from "../../api/types.ts"
import { type Dictionary, fill } from "../../i18n/dictionary.ts"
import { elapsed } from "../../ui/elapsed.ts"
import type { Words } from "../../ui/refusals.ts"

/** A cause without words of its own is shown as the service names it. */
export const causeText = (
  { code, reason }: { readonly code: string; readonly reason: string | null },
  { refusedCause, refusedCode }: Dictionary,
): string => {
  const texts: Readonly<Record<string, string>> = { ...refusedCode, ...refusedCause }
  const own = reason === null ? undefined : (texts[`${code}/${reason}`] ?? texts[reason])
  if (own !== undefined) return own
  const general = texts[code] ?? code
  return reason === null ? general : `${general}: ${reason}`
}

/** The numbers of a refusal. A field is named only if the cause is not the phone number or the sender. */
export const detailText = (
  { parameters }: Pick<Refusal, "parameters">,
  { format, t }: Words,
): string => {
  const { available, field, limit, required, retryAfterSeconds } = parameters
  return [
    required !== undefined &&
      fill(t.refused.needed, {
        required: format.decimal(String(required)),
        available: format.decimal(String(available)),
      }),
    limit !== undefined && fill(t.refused.limit, { limit: format.number(Number(limit)) }),
    retryAfterSeconds !== undefined &&
      fill(t.refused.wait, { time: format.duration(elapsed(Number(retryAfterSeconds) * 1_000)) }),
    field !== undefined &&
      !["phoneNumber", "sender"].includes(String(field)) &&
      fill(t.refused.field, { field: String(field) }),
  ]
    .filter((part) => part !== false)
    .join(" · ")
}
