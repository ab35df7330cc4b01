/** The text of a code as a person types it. */
import * as Redacted from "effect/Redacted"
import * as Fields from "../values/FieldReaders.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"

export const separators = /[\p{White_Space}\p{Dash}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Converts typed or pasted text into the form in which codes are sent. Removes white space, hyphens, dashes
 * and invisible characters, and turns Bangla digits into ASCII digits. The result may be empty.
 */
export const normalize = (typed: string): string =>
  PhoneNumber.normalizeDigits(typed.replace(separators, ""))

/** Reads the typed text from untyped input. */
export const read: Fields.Reader<Redacted.Redacted> = (value) => {
  const typed = Fields.text(value)
  return typeof typed === "string" ? Redacted.make(typed, { label: "code" }) : typed
}
