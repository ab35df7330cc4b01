/** A limit in the reader's language. */
import type { Locale } from "../base.ts"

const digits = "০১২৩৪৫৬৭৮৯"

/** Digits that were typed in Bangla, as the service reads them. */
export const latinDigits = (text: string): string =>
  text.replace(/[০-৯]/g, (digit) => String(digits.indexOf(digit)))

/** The units in English, and in Bangla: as a duration, and as the time in which something happens. */
const units = [
  ["millisecond", "মিলিসেকেন্ড", "মিলিসেকেন্ডে"],
  ["second", "সেকেন্ড", "সেকেন্ডে"],
  ["minute", "মিনিট", "মিনিটে"],
  ["hour", "ঘণ্টা", "ঘণ্টায়"],
  ["day", "দিন", "দিনে"],
] as const

/** A number of events in a time, such as `10 in 1 minute`. In Bangla, the time comes first. */
export const windowWords = (max: string, per: string, locale: Locale): string => {
  if (locale === "en") return `${max} in ${per}`
  const [, count, name] = /^([\d.]+) (\w+?)s?$/.exec(per) ?? []
  const [, , locative] = units.find(([unit]) => unit === name) ?? []
  return shownDigits(
    locative === undefined ? `${max} in ${per}` : `${count} ${locative} ${max}`,
    locale,
  )
}

/** A text of the service with the reader's digits. */
export const shownDigits = (text: string, locale: Locale): string =>
  locale === "en" ? text : text.replace(/\d/g, (digit) => digits[Number(digit)] ?? digit)

/** Windows and durations of the service, such as `10 in 1 minute; 50 in 1 day`, `5 minutes` and `none`. */
export const shownLimit = (text: string, locale: Locale): string => {
  if (locale === "en") return text
  const part = (one: string): string => {
    if (one === "none") return "নেই"
    const [, max, per] = /^(\d+) in (.+)$/.exec(one) ?? []
    if (max !== undefined && per !== undefined) return windowWords(max, per, locale)
    const [, count, name] = /^([\d.]+) (\w+?)s?$/.exec(one) ?? []
    const [, duration] = units.find(([unit]) => unit === name) ?? []
    return shownDigits(duration === undefined ? one : `${count} ${duration}`, locale)
  }
  return text.split(/; ?/).map(part).join("; ")
}
