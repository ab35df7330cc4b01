/**
 * What a vendor says, fit to be kept: without the text, the code, a key, or the whole number.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import { errorText } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Redacted from "effect/Redacted"

/** Longest text of a vendor that is looked at. */
const maxLength = 4_096

/** Seven digits or more, however they are grouped. */
const numberLike = /\+?\d(?:[\s().-]{0,2}\d){6,}/g

/** Shared by a number and the same number in national form. */
const tailLength = 7

const withoutNumber = (text: string, to: PhoneNumber.PhoneNumber): string =>
  text.replace(numberLike, (found) =>
    found.replace(/\D/g, "").includes(to.slice(-tailLength)) ? PhoneNumber.mask(to) : found,
  )

/** Anything shorter would also be found where it is not meant. */
const shortestSecret = 4

/** A vendor that quotes a part of a secret quotes at least this much; less is chance. */
const shortestQuote = 20

/** Without a secret, and without the parts of it that were cut short. */
const without = (words: string, secret: string, shown: string): string =>
  secret.length < shortestSecret
    ? words
    : withoutParts(words.replaceAll(secret, shown), secret, shown)

const withoutParts = (words: string, secret: string, shown: string): string => {
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

/** What must not be repeated of a dispatch. */
export type Sensitive = Pick<GatewayMessage, "to" | "text" | "code">

/** The words, cut to what a row may hold. */
export const vendorWords = (
  words: string,
  { code, text, to }: Sensitive,
  secrets: ReadonlyArray<Redacted.Redacted<string>> = [],
): string => {
  const replaced = secrets.reduce(
    (rest, secret) => without(rest, Redacted.value(secret), "[secret]"),
    without(words.slice(0, maxLength), Redacted.value(text), "[text]"),
  )
  const plain = code === undefined ? replaced : without(replaced, Redacted.value(code), "[code]")
  return errorText(withoutNumber(plain, to).trim())
}

/** Longest answer that is kept with a report. */
const maxRawLength = 16_384

/** An answer as it came, without the secrets that it was asked with; numbers are masked where it is kept. */
export const rawWords = (
  answer: string,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
): string =>
  secrets
    .flatMap((secret) => spellings(Redacted.value(secret)))
    .reduce((rest, secret) => without(rest, secret, "[secret]"), answer.slice(0, maxRawLength))

/** A secret as JSON, a form or an address has it. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret.toWellFormed())
  return [
    ...new Set([
      secret,
      inJson,
      inJson.replaceAll("/", "\\/"),
      encoded,
      encoded.replaceAll("%20", "+"),
    ]),
  ]
}

/** The words of a report, which says itself which number it is about. */
export const reportWords = (words: string, to: string | undefined): string => {
  const digits = (to ?? "").replace(/\D/g, "")
  return /^[1-9]\d{6,14}$/.test(digits)
    ? errorText(withoutNumber(words.slice(0, maxLength), PhoneNumber.fromE164(`+${digits}`)).trim())
    : errorText(words.slice(0, maxLength).trim())
}
