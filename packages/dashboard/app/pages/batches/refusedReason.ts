import type { RefusedRecipient } from "../../api/types.ts"
import type { batches } from "../../i18n/en/batches.ts"
import { problemText, type Words } from "../../ui/refusals.ts"

/** The name of a field of a recipient, as the page calls it. A placeholder looks as in the text. */
const nameOf = (field: string, t: (Words & { readonly t: typeof batches })["t"]): string => {
  if (field === "phoneNumber") return t.word.phoneNumber
  return field === "text" ? t.batches.text : field.replace(/^values\.(.+)$/, "{$1}")
}

/** Why a recipient is not valid, in the reader's words. */
export const refusedReason = (
  problems: RefusedRecipient["problems"],
  words: Words & { readonly t: typeof batches },
): string =>
  Object.entries(problems)
    .map(
      ([field, list]) =>
        `${nameOf(field, words.t)}: ${list.map((one) => problemText(one, words)).join(" ")}`,
    )
    .join("; ")
