/** The text of a limit, such as `10 in 1 minute; none`, in the reader's language, and back. */
import type { Locale } from "../base.ts"

const digits = "০১২৩৪৫৬৭৮৯"

/** English words, the longer ones first, and those of Bangla. */
const words = [
  ["milliseconds", "মিলিসেকেন্ড"],
  ["millisecond", "মিলিসেকেন্ড"],
  ["seconds", "সেকেন্ড"],
  ["second", "সেকেন্ড"],
  ["minutes", "মিনিট"],
  ["minute", "মিনিট"],
  ["hours", "ঘণ্টা"],
  ["hour", "ঘণ্টা"],
  ["days", "দিন"],
  ["day", "দিন"],
  ["none", "নেই"],
  ["in", "প্রতি"],
] as const

/** The text as it is shown: `10 in 1 minute` is `১০ প্রতি ১ মিনিট`. */
export const shownLimit = (text: string, locale: Locale): string =>
  locale === "en"
    ? text
    : words
        .reduce((shown, [english, bangla]) => shown.replaceAll(english, bangla), text)
        .replace(/\d/g, (digit) => digits[Number(digit)] ?? digit)

/** The text as the service has it, from that of any language. */
export const typedLimit = (text: string): string =>
  words
    .reduce((typed, [english, bangla]) => typed.replaceAll(bangla, english), text)
    .replace(/[০-৯]/g, (digit) => String(digits.indexOf(digit)))
    .replace(/\b1 (millisecond|second|minute|hour|day)s/g, "1 $1")
