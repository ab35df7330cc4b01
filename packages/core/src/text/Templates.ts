/** The texts that carry codes. */
import type { Payment } from "../domain/verifications/Payment.ts"
import * as Context from "effect/Context"
import type { Channel } from "../domain/values/Channel.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as Checks from "../domain/values/internal/checks.ts"
import { defaults } from "../domain/limits/Limits.ts"

/** A language of verification texts in lower case: `en-us`, `bn-bd`. */
export type Locale = string

export interface TextInput {
  readonly organization: OrganizationId
  readonly locale: Locale
  readonly channel: Channel
  /** The code; `maskedCode` in the text for the log; other digits in the text for the price. */
  readonly code: string
  readonly expirySeconds: number
  /** The masking name of the sender; `undefined` for other senders. */
  readonly senderName: string | undefined
  /** The payment that the code approves. Its amount and payee must be in the text. */
  readonly payment?: Payment | undefined
}

/** Renders a text. The same input must give the same text. */
export type Template = (input: TextInput) => string

export interface Templates {
  readonly locales: ReadonlyArray<Locale>
  readonly defaultLocale: Locale
  readonly render: Template
}

/** Replaces a code in stored texts. Its length does not depend on the length of the code. */
export const maskedCode = "••••••"

/** Replaces a code where only the length of the text matters. */
export const placeholderCode = (length: number): string => "0".repeat(length)

/** Maximum length of a template's text, in UTF-16 units: the default maximum of a message. */
export const maxTextLength = defaults.messageLength

/** The problem of a template's text, as the end of a sentence; `undefined` if it can be sent. */
export const textProblem = (
  text: unknown,
  code: string,
  payment?: Payment | undefined,
): string | undefined => {
  const problem = Checks.textProblem(text, maxTextLength)
  if (problem !== undefined || typeof text !== "string") return problem?.message
  if (!text.includes(code)) return "must hold the code"
  // The user has to see what the code approves.
  return payment === undefined || (text.includes(payment.amount) && text.includes(payment.payee))
    ? undefined
    : "must hold the amount and the payee of the payment"
}

/** A template and its audience; the general one without an organization and a brand name. */
export interface Entry {
  readonly locale: Locale
  readonly organization?: OrganizationId | undefined
  /** The masking name that the sender must have. */
  readonly senderName?: string | undefined
  readonly template: Template
}

type Audience = Pick<Entry, "locale" | "organization" | "senderName">

// Neither an organization's id nor a locale can contain the separator, and the brand name comes last.
const keyOf = ({ senderName, locale, organization }: Audience): string =>
  `${organization ?? ""}\n${locale}\n${senderName ?? ""}`

/**
 * Finds the template of the organization and the sender, of the organization, of the sender, or the general one, in
 * this order. Never finds a template of another locale. Throws a `TypeError` if two templates have the same audience.
 */
const resolver = (
  entries: ReadonlyArray<Entry>,
): ((audience: Audience) => Template | undefined) => {
  const index = new Map(entries.map((entry) => [keyOf(entry), entry.template]))
  if (index.size !== entries.length) {
    throw new TypeError("Two templates are for the same organization, sender and locale")
  }
  return ({ senderName, locale, organization }) =>
    index.get(keyOf({ organization, senderName, locale })) ??
    index.get(keyOf({ organization, locale })) ??
    index.get(keyOf({ senderName, locale })) ??
    index.get(keyOf({ locale }))
}

/**
 * Templates by organization, sender and locale, in the order of `resolver`. The first locale is the default.
 * Throws a `TypeError` if a locale has no general template.
 */
export const make = (entries: readonly [Entry, ...ReadonlyArray<Entry>]): Templates => {
  const resolve = resolver(entries)
  const locales = [...new Set(entries.map(({ locale }) => locale))]
  for (const locale of locales) {
    if (resolve({ locale }) === undefined) {
      throw new TypeError(`No template of ${locale} names no organization`)
    }
  }
  return {
    locales,
    defaultLocale: entries[0].locale,
    render: (input) => {
      const template = resolve(input)
      // The caller has checked that `locales` contains the locale.
      if (template === undefined) throw new TypeError(`There is no template of ${input.locale}`)
      return template(input)
    },
  }
}

// The code comes first, there is only one number, and its digits are ASCII in every language: phones offer to
// fill in such a code. The Bangla text has less than the 70 characters of one UCS-2 segment, so it costs as
// much as the English one. A payment is named after the code, and leaves no room for the brand name in Bangla.
const english: Template = ({ senderName, code, payment }) => {
  if (payment !== undefined) {
    const { amount, payee } = payment
    return `${code} is your code to pay ${amount} to ${payee}. Do not share it with anyone.`
  }
  return senderName === undefined
    ? `${code} is your verification code. Do not share it with anyone.`
    : `${code} is your ${senderName} verification code. Do not share it with anyone.`
}

const bangla: Template = ({ senderName, code, payment }) => {
  if (payment !== undefined) {
    const { amount, payee } = payment
    return `${code} ${payee}-কে ${amount} পরিশোধের কোড। কাউকে জানাবেন না।`
  }
  return senderName === undefined
    ? `${code} আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।`
    : `${code} আপনার ${senderName} যাচাই কোড। কাউকে জানাবেন না।`
}

/** The general templates in English and Bangla, as a start for a host's own entries. */
export const standardEntries: readonly [Entry, ...ReadonlyArray<Entry>] = [
  { locale: "en-us", template: english },
  { locale: "bn-bd", template: bangla },
]

export const standard: Templates = make(standardEntries)

/** The templates in force. */
export const Templates = Context.Reference<Templates>("@countersign/core/text/Templates", {
  defaultValue: () => standard,
})
