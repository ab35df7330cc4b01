/**
 * A vendor's raw data before it is masked.
 */
import * as Redacted from "effect/Redacted"

/** Wraps a raw report, which contains whole phone numbers and possibly keys. */
export const asRaw = (text: string): Redacted.Redacted<string> =>
  Redacted.make(text, { label: "report" })
