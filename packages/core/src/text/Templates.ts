/**
 * The texts that carry codes.
 */
import * as Context from "effect/Context"
import type { Channel } from "../domain/Channel.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import * as Checks from "../domain/internal/checks.ts"
import { defaults } from "../domain/Limits.ts"

/** A language of verification texts, lower case: `en-us`, `bn-bd`. */
export type Locale = string

/** What a text may mention. */
export interface TextInput {
  readonly organization: OrganizationId
  readonly locale: Locale
  readonly channel: Channel
  /** The code, or `maskedCode` when the text is for the log, or other digits when it is for the price. */
  readonly code: string
  readonly expirySeconds: number
  /** The masking name when one sends, else `undefined`. */
  readonly brandName: string | undefined
}

/** Writes a text. The same input gives the same text. */
export type Template = (input: TextInput) => string

export interface Templates {
  readonly locales: ReadonlyArray<Locale>
  readonly defaultLocale: Locale
  readonly render: Template
}

/** Stands for a code wherever a text is kept. Its length says nothing of the code's. */
export const maskedCode = "••••••"

/** What takes the place of a code where only the length of a text matters. */
export const placeholderCode = (length: number): string => "0".repeat(length)

/** Longest text of a template, in UTF-16 units: what a message may have unless the host says otherwise. */
export const maxTextLength = defaults.messageLength

/**
 * What is wrong with a text that a template has written, as the end of a sentence; `undefined` when it can
 * be sent. The recipient of a text without its code has been sent nothing.
 */
export const textProblem = (text: unknown, code: string): string | undefined =>
  Checks.textProblem(text, maxTextLength)?.message ??
  (typeof text === "string" && text.includes(code) ? undefined : "must hold the code")

/** A template, and whom it is for: everybody, where nobody is named. */
export interface Entry {
  readonly locale: Locale
  readonly organization?: OrganizationId | undefined
  /** The masking name that has to be the sender. */
  readonly brandName?: string | undefined
  readonly template: Template
}

type Audience = Pick<Entry, "locale" | "organization" | "brandName">

// Neither an organization's id nor a locale can have the separator in it, and the name comes last.
const keyOf = ({ brandName, locale, organization }: Audience): string =>
  `${organization ?? ""}\n${locale}\n${brandName ?? ""}`

const indexOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, Template> => {
  const index = new Map(entries.map((entry) => [keyOf(entry), entry.template]))
  if (index.size !== entries.length) {
    throw new TypeError("Two templates are for the same organization, sender and locale")
  }
  return index
}

/**
 * Finds the template for an audience: that of the organization and the sender, then the organization's,
 * then the sender's, then that of everybody. The locale is never exchanged for another. Throws a
 * `TypeError` when two templates are for the same audience.
 */
export const resolver = (
  entries: ReadonlyArray<Entry>,
): ((audience: Audience) => Template | undefined) => {
  const index = indexOf(entries)
  return ({ brandName, locale, organization }) =>
    index.get(keyOf({ organization, brandName, locale })) ??
    index.get(keyOf({ organization, locale })) ??
    index.get(keyOf({ brandName, locale })) ??
    index.get(keyOf({ locale }))
}

/**
 * Templates by organization, sender and locale, in the order of `resolver`. The locale of the first is the
 * default. Throws a `TypeError` when a locale has no template for everybody: a request could name it and
 * find none.
 */
export const make = (entries: readonly [Entry, ...ReadonlyArray<Entry>]): Templates => {
  const resolve = resolver(entries)
  const locales = [...new Set(entries.map(({ locale }) => locale))]
  for (const locale of locales) {
    if (resolve({ locale }) === undefined) {
      throw new TypeError(`No template of ${locale} is for everybody`)
    }
  }
  return {
    locales,
    defaultLocale: entries[0].locale,
    render: (input) => {
      const template = resolve(input)
      // The locale was looked for in `locales` before.
      if (template === undefined) throw new TypeError(`There is no template of ${input.locale}`)
      return template(input)
    },
  }
}

// Code first, one number only, ASCII digits in every language: phones offer to
// fill in such a code by themselves. The Bangla text stays under the 70
// characters of one UCS-2 segment, so it costs what the English one costs.
const english: Template = ({ brandName, code }) =>
  brandName === undefined
    ? `${code} is your verification code. Do not share it with anyone.`
    : `${code} is your ${brandName} verification code. Do not share it with anyone.`

const bangla: Template = ({ brandName, code }) =>
  brandName === undefined
    ? `${code} আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।`
    : `${code} আপনার ${brandName} যাচাই কোড। কাউকে জানাবেন না।`

/** English and Bangla, for everybody: where a host's own entries can begin. */
export const standardEntries: readonly [Entry, ...ReadonlyArray<Entry>] = [
  { locale: "en-us", template: english },
  { locale: "bn-bd", template: bangla },
]

/** English and Bangla. */
export const standard: Templates = make(standardEntries)

/** The texts in force. */
export const Templates = Context.Reference<Templates>("@countersign/core/text/Templates", {
  defaultValue: () => standard,
})
