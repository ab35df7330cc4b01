/**
 * Removes what only the recipient may see from the texts of gateways: the text of a message, its code, and the
 * whole phone number. The engine redacts every outcome and every report, because gateways may repeat anything.
 */
import * as Redacted from "effect/Redacted"
import { errorText, type GatewayOutcome, isAccepted, vendorCodeText } from "./GatewayOutcome.ts"
import * as Evidence from "./Evidence.ts"
import * as Masking from "../values/Masking.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"

/** The parts of a message that must not be repeated, and its id. */
export interface Content {
  readonly token: string
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly text: Redacted.Redacted<string>
  /** The code in the text. It has digits only. */
  readonly code?: Redacted.Redacted<string> | undefined
}

const maxLength = 4_096

/** Shorter secrets would also match unrelated text. */
const shortestSecret = 4

/** Shortest part of a secret that counts as a quote. Shorter matches are coincidences. */
const shortestQuote = 20

/** Removes a secret, and truncated copies of it, from the first 4,096 UTF-16 units of a text. */
export const withoutSecret = (text: string, secret: string, shown: string): string => {
  const cut = text.slice(0, maxLength)
  if (secret.length < shortestSecret) return cut
  const words = cut.replaceAll(secret, shown)
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

/** Between two digits of a number or a code that is written in groups. */
const between = "[\\s().,:;/=+_-]{0,2}"

/** Seven digits or more, in any grouping. */
const numberLike = new RegExp(`\\+?\\d(?:${between}\\d){6,}`, "g")

/** Digits that the international and the national form of a phone number share. */
const tailLength = 7

const withoutNumber = (text: string, to: PhoneNumber.PhoneNumber): string =>
  text.replace(numberLike, (found) =>
    found.replace(/\D/g, "").includes(to.slice(-tailLength)) ? PhoneNumber.mask(to) : found,
  )

const withoutCode = (text: string, code: string): string =>
  text.replace(new RegExp([...code].join(between), "g"), "[code]")

/** The text without the content of its message, cut to the length that a row may contain. */
export const words = (said: string, { code, phoneNumber, text }: Content): string => {
  const unquoted = withoutNumber(withoutSecret(said, Redacted.value(text), "[text]"), phoneNumber)
  return errorText(
    (code === undefined ? unquoted : withoutCode(unquoted, Redacted.value(code))).trim(),
  )
}

/** A masked number, or digits in a row that may be a code. */
const digits = new RegExp(`(\\d*\\*{5}\\d*)|\\d(?:${between}\\d){3,}`, "g")

/** Whether a text may contain a code or a phone number. */
export const hasDigits = (said: string): boolean => said.search(digits) >= 0

/** The text of a report whose message is unknown, without anything that may be a code or a phone number. */
export const unknownWords = (said: string, maxLength?: number): string =>
  errorText(
    Masking.words(said).replace(digits, (_, masked: string | undefined) => masked ?? "[digits]"),
    maxLength,
  )

/** The evidence of a report without the content of its message. A number counts as the code without leading zeros. */
export const evidence = (stored: string | null, content: Content): string | null =>
  Evidence.redacted(stored, (value) => {
    const code = content.code && Redacted.value(content.code)
    const isCode = code !== undefined && value !== "" && Number(value) === Number(code)
    return isCode ? "[code]" : words(value, content)
  })

/** The evidence of a report whose message is unknown, without anything that may be a code or a phone number. */
export const unknownEvidence = (stored: string | null): string | null =>
  Evidence.redacted(stored, (value) => unknownWords(value))

/** Fewer digits are often in an id by chance. They count only if no other digit is next to them. */
const fewestDigits = 6

const isQuoted = (id: string, token: string, code: string): boolean => {
  if (!id.includes(code)) return false
  // Our own id is not a quote.
  const foreign = id.replaceAll(token, "")
  return code.length < fewestDigits
    ? new RegExp(`(?<!\\d)${code}(?!\\d)`).test(foreign)
    : foreign.includes(code)
}

/** The outcome without the content of its message. An id that contains the code becomes the message's own id. */
export const outcome = (given: GatewayOutcome, content: Content): GatewayOutcome => {
  if (!isAccepted(given)) {
    const { vendorCode } = given
    const code =
      vendorCode === undefined
        ? undefined
        : { vendorCode: vendorCodeText(words(vendorCode, content)) }
    return { ...given, message: words(given.message, content), ...code }
  }
  const { code, token } = content
  return code !== undefined && isQuoted(given.gatewayId, token, Redacted.value(code))
    ? { ...given, gatewayId: token }
    : given
}
