/** The text of a limit, such as `10 in 1 minute; none`, in the reader's language, and back. */
import type { Locale } from "../base.ts"

const digits = "০১২৩৪৫৬৭৮৯"

/** The units in English, and in Bangla: as a duration, and as the time in which something happens. */
const units = [
  ["millisecond", "মিলিসেকেন্ড", "মিলিসেকেন্ডে"],
  ["second", "সেকেন্ড", "সেকেন্ডে"],
  ["minute", "মিনিট", "মিনিটে"],
  ["hour", "ঘণ্টা", "ঘণ্টায়"],
  ["day", "দিন", "দিনে"],
] as const

const none = ["none", "নেই"] as const

/** Changes each limit of a list. */
const inParts = (text: string, change: (part: string) => string): string =>
  text
    .split(";")
    .map((part) => change(part.trim()))
    .join("; ")

/** In Bangla, the time comes first: `10 in 1 minute` is `১ মিনিটে ১০`. */
const banglaOf = (part: string): string => {
  if (part === none[0]) return none[1]
  for (const [unit, duration, locative] of units) {
    const [, max, per] = new RegExp(`^(?:(\\d+) in )?([\\d.]+) ${unit}s?$`).exec(part) ?? []
    if (per !== undefined)
      return max === undefined ? `${per} ${duration}` : `${per} ${locative} ${max}`
  }
  return part
}

const englishOf = (part: string): string => {
  if (part === none[1]) return none[0]
  for (const [unit, duration, locative] of units) {
    const pattern = `^([\\d.]+)\\s*(?:${duration}|${locative}\\s*(\\d+)(?:টি)?)$`
    const [, per, max] = new RegExp(pattern).exec(part) ?? []
    if (per === undefined) continue
    const text = `${per} ${unit}${per === "1" ? "" : "s"}`
    return max === undefined ? text : `${max} in ${text}`
  }
  return part
}

/** The text as it is shown. */
export const shownLimit = (text: string, locale: Locale): string =>
  locale === "en"
    ? text
    : inParts(text, banglaOf).replace(/\d/g, (digit) => digits[Number(digit)] ?? digit)

/** The text as the service has it, from that of any language. */
export const typedLimit = (text: string): string =>
  inParts(
    text.replace(/[০-৯]/g, (digit) => String(digits.indexOf(digit))),
    englishOf,
  )
