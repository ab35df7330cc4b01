/** The texts of the components, as plain data that a server component may pass on. */
import type { Channel, Problem } from "./types.ts"

/** The problems that have a text of their own, by their codes. */
type ProblemTexts = Readonly<
  Record<
    | "already_consumed"
    | "already_verified"
    | "attempts_exhausted"
    | "invalid_request"
    | "network"
    | "not_on_whatsapp"
    | "number_changed"
    | "rate_limited"
    | "request_expired"
    | "request_not_found"
    | "resends_exhausted"
    | "sending_failed"
    | "too_many_pending"
    | "wrong_code",
    string
  >
>

/** The texts of one language. Names in braces are placeholders. */
export interface Texts {
  /** BCP 47, such as `bn`. */
  readonly language: string
  /** The ten digits of the language, for times and counts. */
  readonly digits: string
  readonly phoneNumber: string
  readonly invalidPhoneNumber: string
  readonly sendCode: string
  readonly sending: string
  readonly code: string
  /** `{phoneNumber}`, `{channel}` */
  readonly sent: string
  readonly sms: string
  readonly whatsapp: string
  /** `{time}` */
  readonly expiresIn: string
  readonly checkCode: string
  readonly checking: string
  readonly resend: string
  /** `{time}` */
  readonly resendIn: string
  readonly changeNumber: string
  readonly newCode: string
  readonly verified: string
  /** Added to a problem that passes: `{time}` */
  readonly tryAgainIn: string
  /** `{attemptsRemaining}` in `wrong_code` */
  readonly problems: ProblemTexts
  /** For every other problem. */
  readonly otherProblem: string
}

export const english: Texts = {
  language: "en",
  digits: "0123456789",
  phoneNumber: "Phone number",
  invalidPhoneNumber: "Enter a valid phone number.",
  sendCode: "Send code",
  sending: "Sending the code…",
  code: "Code from the message",
  sent: "We sent a code to {phoneNumber} by {channel}.",
  sms: "SMS",
  whatsapp: "WhatsApp",
  expiresIn: "The code is valid for {time}.",
  checkCode: "Check code",
  checking: "Checking the code…",
  resend: "Send it again",
  resendIn: "Send it again in {time}",
  changeNumber: "Use another number",
  newCode: "Send a new code",
  verified: "Your phone number is verified.",
  tryAgainIn: "Try again in {time}.",
  problems: {
    already_consumed: "This code was used before. Ask for a new one.",
    already_verified: "This phone number is verified already.",
    attempts_exhausted: "Too many wrong codes. Ask for a new one.",
    invalid_request: "Enter a valid phone number.",
    network: "No connection. Check your network and try again.",
    not_on_whatsapp: "This phone number is not on WhatsApp.",
    number_changed: "A code for another number was requested in another tab. Ask for a new one.",
    rate_limited: "Too many requests.",
    request_expired: "The code has expired. Ask for a new one.",
    request_not_found: "This code is not valid any more. Ask for a new one.",
    resends_exhausted: "The code cannot be sent again.",
    sending_failed: "We could not send the code. Try again.",
    too_many_pending: "Too many codes for this phone number. Wait until they expire.",
    wrong_code: "Wrong code. Attempts left: {attemptsRemaining}.",
  },
  otherProblem: "Something went wrong. Try again.",
}

export const bangla: Texts = {
  language: "bn",
  digits: "০১২৩৪৫৬৭৮৯",
  phoneNumber: "ফোন নম্বর",
  invalidPhoneNumber: "সঠিক ফোন নম্বর দিন।",
  sendCode: "কোড পাঠান",
  sending: "কোড পাঠানো হচ্ছে…",
  code: "মেসেজে পাওয়া কোড",
  sent: "{phoneNumber} নম্বরে {channel}-এ একটি কোড পাঠানো হয়েছে।",
  sms: "এসএমএস",
  whatsapp: "WhatsApp",
  expiresIn: "কোডটির মেয়াদ আর {time}।",
  checkCode: "কোড যাচাই করুন",
  checking: "কোড যাচাই হচ্ছে…",
  resend: "আবার পাঠান",
  resendIn: "{time} পরে আবার পাঠানো যাবে",
  changeNumber: "অন্য নম্বর দিন",
  newCode: "নতুন কোড পাঠান",
  verified: "আপনার ফোন নম্বর যাচাই হয়েছে।",
  tryAgainIn: "{time} পরে আবার চেষ্টা করুন।",
  problems: {
    already_consumed: "কোডটি আগেই ব্যবহার হয়েছে। নতুন কোড নিন।",
    already_verified: "ফোন নম্বরটি আগেই যাচাই হয়েছে।",
    attempts_exhausted: "অনেকবার ভুল কোড দেওয়া হয়েছে। নতুন কোড নিন।",
    invalid_request: "সঠিক ফোন নম্বর দিন।",
    network: "সংযোগ নেই। নেটওয়ার্ক দেখে আবার চেষ্টা করুন।",
    not_on_whatsapp: "নম্বরটি WhatsApp-এ নেই।",
    number_changed: "অন্য ট্যাবে অন্য নম্বরের জন্য কোড চাওয়া হয়েছে। নতুন কোড নিন।",
    rate_limited: "অনেক বেশি অনুরোধ করা হয়েছে।",
    request_expired: "কোডের মেয়াদ শেষ। নতুন কোড নিন।",
    request_not_found: "কোডটি আর কাজ করবে না। নতুন কোড নিন।",
    resends_exhausted: "কোডটি আর পাঠানো যাবে না।",
    sending_failed: "কোড পাঠানো যায়নি। আবার চেষ্টা করুন।",
    too_many_pending: "নম্বরটিতে অনেক কোড পাঠানো হয়েছে। মেয়াদ শেষ হওয়া পর্যন্ত অপেক্ষা করুন।",
    wrong_code: "কোডটি ভুল। আর {attemptsRemaining} বার চেষ্টা করা যাবে।",
  },
  otherProblem: "কিছু একটা সমস্যা হয়েছে। আবার চেষ্টা করুন।",
}

const inDigits = (text: string, { digits }: Texts): string =>
  text.replaceAll(/\d/g, (digit) => digits.charAt(Number(digit)))

const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** As on a stopwatch: `0:07`, `4:59`, `23:59:59`. */
const stopwatch = (seconds: number): string => {
  const minutes = Math.floor(seconds / 60)
  const start = minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}`
  return `${start}:${twoDigits(seconds % 60)}`
}

/** A text with `{time}` for a number of seconds. */
export const withTime = (template: string, seconds: number, texts: Texts): string =>
  fill(template, { time: inDigits(stopwatch(seconds), texts) })

/** The text that names where a code went. */
export const sentText = (
  { channel, phoneNumber }: { readonly channel: Channel; readonly phoneNumber: string },
  texts: Texts,
): string => fill(texts.sent, { phoneNumber, channel: texts[channel] })

/** The text of a problem for the user, and when to try again. */
export const problemText = (problem: Problem, texts: Texts): string => {
  const { attemptsRemaining, code, retryAfterSeconds } = problem
  const sentences: Readonly<Record<string, string>> = texts.problems
  const sentence = Object.hasOwn(sentences, code) ? (sentences[code] ?? "") : texts.otherProblem
  const count = attemptsRemaining === undefined ? "" : inDigits(String(attemptsRemaining), texts)
  const text = fill(sentence, { attemptsRemaining: count })
  return retryAfterSeconds === undefined
    ? text
    : `${text} ${withTime(texts.tryAgainIn, retryAfterSeconds, texts)}`
}
