/**
 * Everything that users read, in two languages. Words in braces are replaced, see `fill`.
 */
import { html, type Html } from "./html.ts"

const english = {
  title: "Sign in by phone",
  phoneNumber: "Phone number",
  phoneNumberHint: "Outside of Bangladesh, with its country code. We send a code to it.",
  send: "Send me a code",
  sent: {
    sms: "We have sent a code to {phoneNumber} by SMS.",
    whatsapp: "We have sent a code to {phoneNumber} over WhatsApp.",
  },
  sentAgain: {
    sms: "We have sent the code to {phoneNumber} again, by SMS.",
    whatsapp: "We have sent the code to {phoneNumber} again, over WhatsApp.",
  },
  code: "Code from the message",
  signIn: "Sign in",
  again: "Send the code again",
  instead: { sms: "Send it by SMS instead", whatsapp: "Send it over WhatsApp instead" },
  wait: "We can send the code again in {time}.",
  ready: "We can send the code again now.",
  change: "Change the number",
  signedIn: "You are signed in as {phoneNumber}.",
  signOut: "Sign out",
  otherLanguages: "Other languages",
  unreachable: "The server cannot be reached. Please try again.",
  problems: {
    already_consumed: "This code has signed in before. Please ask for a new one.",
    attempts_exhausted: "Too many wrong codes. Please ask for a new one.",
    cancelled: "This code was cancelled. Please ask for a new one.",
    cooldown: "We have just sent the code. We can send it again in {time}.",
    invalid_code: "Please enter the code from the message.",
    invalid_number: "Please enter a phone number, as in 01712-345678 or +880 1712-345678.",
    not_on_whatsapp: "This number is not on WhatsApp.",
    other: "That did not work. Please try again later.",
    rate_limited: "That was too often. Please try again in {time}.",
    request_expired: "The code has expired. Please ask for a new one.",
    request_not_found: "Please ask for a code first.",
    resends_exhausted: "We cannot send this code again. Is the number right?",
    sending_failed: "The code could not be sent to this number.",
    too_many_pending: "This number has several codes already. Please try again in {time}.",
    unavailable: "We cannot answer at the moment. Please try again in {time}.",
    wrong_code: "That is not the code. Tries left: {count}.",
  },
}

const bangla: typeof english = {
  title: "ফোন নম্বর দিয়ে সাইন ইন",
  phoneNumber: "ফোন নম্বর",
  phoneNumberHint: "বাংলাদেশের বাইরের নম্বর হলে দেশের কোডসহ লিখুন। এই নম্বরে আমরা একটি কোড পাঠাব।",
  send: "কোড পাঠান",
  sent: {
    sms: "{phoneNumber} নম্বরে এসএমএসে একটি কোড পাঠানো হয়েছে।",
    whatsapp: "{phoneNumber} নম্বরে হোয়াটসঅ্যাপে একটি কোড পাঠানো হয়েছে।",
  },
  sentAgain: {
    sms: "{phoneNumber} নম্বরে এসএমএসে কোডটি আবার পাঠানো হয়েছে।",
    whatsapp: "{phoneNumber} নম্বরে হোয়াটসঅ্যাপে কোডটি আবার পাঠানো হয়েছে।",
  },
  code: "মেসেজে পাওয়া কোড",
  signIn: "সাইন ইন করুন",
  again: "কোডটি আবার পাঠান",
  instead: { sms: "এসএমএসে পাঠান", whatsapp: "হোয়াটসঅ্যাপে পাঠান" },
  wait: "{time} পরে কোডটি আবার পাঠানো যাবে।",
  ready: "এখন কোডটি আবার পাঠানো যাবে।",
  change: "নম্বর বদলান",
  signedIn: "আপনি {phoneNumber} নম্বরে সাইন ইন করেছেন।",
  signOut: "সাইন আউট করুন",
  otherLanguages: "অন্য ভাষা",
  unreachable: "সার্ভারে সংযোগ করা যাচ্ছে না। আবার চেষ্টা করুন।",
  problems: {
    already_consumed: "এই কোড দিয়ে আগেই সাইন ইন করা হয়েছে। নতুন কোড নিন।",
    attempts_exhausted: "অনেকবার ভুল কোড দেওয়া হয়েছে। নতুন কোড নিন।",
    cancelled: "এই কোডটি বাতিল করা হয়েছে। নতুন কোড নিন।",
    cooldown: "কোডটি এইমাত্র পাঠানো হয়েছে। {time} পরে আবার পাঠানো যাবে।",
    invalid_code: "মেসেজে পাওয়া কোডটি লিখুন।",
    invalid_number: "সঠিক ফোন নম্বর লিখুন, যেমন ০১৭১২-৩৪৫৬৭৮ বা +৮৮০ ১৭১২-৩৪৫৬৭৮।",
    not_on_whatsapp: "এই নম্বরে হোয়াটসঅ্যাপ নেই।",
    other: "দুঃখিত, কাজটি করা যায়নি। পরে আবার চেষ্টা করুন।",
    rate_limited: "অনেকবার চেষ্টা করা হয়েছে। {time} পরে আবার চেষ্টা করুন।",
    request_expired: "কোডটির মেয়াদ শেষ। নতুন কোড নিন।",
    request_not_found: "আগে একটি কোড নিন।",
    resends_exhausted: "এই কোডটি আর পাঠানো যাবে না। নম্বরটি ঠিক আছে কি?",
    sending_failed: "এই নম্বরে কোড পাঠানো যায়নি।",
    too_many_pending: "এই নম্বরে কয়েকটি কোড আগেই পাঠানো হয়েছে। {time} পরে আবার চেষ্টা করুন।",
    unavailable: "এই মুহূর্তে সেবা দেওয়া যাচ্ছে না। {time} পরে আবার চেষ্টা করুন।",
    wrong_code: "কোডটি সঠিক নয়। আর {count} বার চেষ্টা করতে পারবেন।",
  },
}

export const words = { en: english, bn: bangla } as const

export type Language = keyof typeof words

export const languages: ReadonlyArray<Language> = ["en", "bn"]

export const isLanguage = (value: unknown): value is Language => value === "en" || value === "bn"

/** The locale of the engine's texts. */
export const locales = { en: "en-us", bn: "bn-bd" } as const

/** Replaces the words in braces. */
export const fill = (text: string, values: Readonly<Record<string, Html | string>>): Html => {
  const parts = text.split(/\{(\w+)\}/)
  return parts.reduce(
    (before, part, index) => html`${before}${index % 2 === 0 ? part : values[part]}`,
    html``,
  )
}

export const numberIn = (language: Language, value: number): string =>
  new Intl.NumberFormat(language).format(value)

const minute = 60
const hour = 60 * minute

/** As in "30 seconds": in seconds up to two minutes, and in minutes up to two hours. */
export const timeIn = (language: Language, seconds: number): string => {
  const [unit, size] =
    seconds < 2 * minute
      ? (["second", 1] as const)
      : seconds < 2 * hour
        ? (["minute", minute] as const)
        : (["hour", hour] as const)
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" })
  return format.format(Math.ceil(seconds / size))
}
