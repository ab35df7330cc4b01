/**
 * What a vendor has sent, on its way to where it is masked.
 */
import * as Redacted from "effect/Redacted"

/** A report as it came: with whole numbers, and perhaps with keys. */
export const asRaw = (text: string): Redacted.Redacted<string> =>
  Redacted.make(text, { label: "report" })
