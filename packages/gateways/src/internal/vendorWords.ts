/** Removes the message's text, the code, keys, and whole phone numbers from a vendor's texts. */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import { errorText } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Redacted from "effect/Redacted"

/** Longest vendor text that is processed. */
const maxLength = 4_096

/** Seven digits or more, in any grouping. */
const numberLike = /\+?\d(?:[\s().-]{0,2}\d){6,}/g

/** Digits that the international and the national form of a phone number share. */
const tailLength = 7

const withoutNumber = (text: string, to: PhoneNumber.PhoneNumber): string =>
  text.replace(numberLike, (found) =>
    found.replace(/\D/g, "").includes(to.slice(-tailLength)) ? PhoneNumber.mask(to) : found,
  )

/** Shorter secrets would also match unrelated text. */
const shortestSecret = 4

/** Shortest part of a secret that counts as a quote. Shorter matches are coincidences. */
const shortestQuote = 20

/** Removes a secret, and truncated copies of it. */
const without = (text: string, secret: string, shown: string): string => {
  if (secret.length < shortestSecret) return text
  const words = text.replaceAll(secret, shown)
  const kept: Array<string> = []
  let from = 0
  let at = 0
  while (at + shortestQuote <= words.length) {
    let end = at + shortestQuote
    if (!secret.includes(words.slice(at, end))) {
      at += 1
      continue
    }
    while (end < words.length && secret.includes(words.slice(at, end + 1))) end += 1
    kept.push(words.slice(from, at), shown)
    from = at = end
  }
  return [...kept, words.slice(from)].join("")
}

/** The parts of a dispatch that must not be repeated. */
export type Sensitive = Pick<GatewayMessage, "phoneNumber" | "text" | "code">

/** Returns the sanitized text, truncated to the column's length. */
export const vendorWords = (
  words: string,
  { code, text, phoneNumber }: Sensitive,
  secrets: ReadonlyArray<Redacted.Redacted<string>> = [],
): string => {
  const replaced = secrets.reduce(
    (rest, secret) => without(rest, Redacted.value(secret), "[secret]"),
    without(words.slice(0, maxLength), Redacted.value(text), "[text]"),
  )
  const plain = code === undefined ? replaced : without(replaced, Redacted.value(code), "[code]")
  return errorText(withoutNumber(plain, phoneNumber).trim())
}

/** Sanitizes the text of a report that names its own phone number. */
export const reportWords = (words: string, to: string | undefined): string => {
  const digits = (to ?? "").replace(/\D/g, "")
  return /^[1-9]\d{6,14}$/.test(digits)
    ? errorText(withoutNumber(words.slice(0, maxLength), PhoneNumber.fromE164(`+${digits}`)).trim())
    : errorText(words.slice(0, maxLength).trim())
}
