/**
 * The texts that carry codes.
 *
 * @module-kind pure
 */
import * as Context from "effect/Context"
import type { Channel } from "./Channel.ts"

/** A language of verification texts, lower case: `en-us`, `bn-bd`. */
export type Locale = string

/** What a text may mention. */
export interface TextInput {
  readonly locale: Locale
  readonly channel: Channel
  /** The code, or `maskedCode` when the text is for the log. */
  readonly code: string
  readonly expirySeconds: number
  /** The masking name when one sends, else `undefined`. */
  readonly brandName: string | undefined
}

export interface Templates {
  readonly locales: ReadonlyArray<Locale>
  readonly defaultLocale: Locale
  readonly render: (input: TextInput) => string
}

/** Stands for a code wherever a text is kept. Its length says nothing of the code's. */
export const maskedCode = "••••••"

// Code first, one number only, ASCII digits in every language: phones offer to
// fill in such a code by themselves. The Bangla text stays under the 70
// characters of one UCS-2 segment, so it costs what the English one costs.
const english = ({ brandName, code }: TextInput): string =>
  brandName === undefined
    ? `${code} is your verification code. Do not share it with anyone.`
    : `${code} is your ${brandName} verification code. Do not share it with anyone.`

const bangla = ({ brandName, code }: TextInput): string =>
  brandName === undefined
    ? `${code} আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।`
    : `${code} আপনার ${brandName} যাচাই কোড। কাউকে জানাবেন না।`

/** English and Bangla. */
export const standard: Templates = {
  locales: ["en-us", "bn-bd"],
  defaultLocale: "en-us",
  render: (input) => (input.locale === "bn-bd" ? bangla(input) : english(input)),
}

/** The texts in force. */
export const Templates = Context.Reference<Templates>("@countersign/core/Templates", {
  defaultValue: () => standard,
})
