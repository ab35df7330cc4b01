import { bangla, english } from "@countersign/react"

/** The texts of the pages. Those of the forms are in `texts`, and those of the messages are the engine's in `locale`. */
export const languages = {
  en: {
    name: "English",
    form: { texts: english, locale: "en-us" },
    signIn: "Sign in or sign up",
    account: "Your account",
    signedIn: "You are signed in with",
    signOut: "Sign out",
    changeNumber: "Change your number",
    newNumber: "We send a code to your new number.",
    pay: "Approve a payment",
    amount: "Amount",
    payee: "To",
    paid: "Paid. Thank you.",
    back: "Back",
    inbox: "The inbox has your messages",
  },
  bn: {
    name: "বাংলা",
    form: { texts: bangla, locale: "bn-bd" },
    signIn: "সাইন ইন বা সাইন আপ",
    account: "আপনার অ্যাকাউন্ট",
    signedIn: "আপনি এই নম্বরে সাইন ইন করেছেন:",
    signOut: "সাইন আউট",
    changeNumber: "নম্বর বদলান",
    newNumber: "আপনার নতুন নম্বরে একটি কোড পাঠানো হবে।",
    pay: "পেমেন্ট অনুমোদন করুন",
    amount: "পরিমাণ",
    payee: "প্রাপক",
    paid: "পেমেন্ট হয়েছে। ধন্যবাদ।",
    back: "ফিরে যান",
    inbox: "ইনবক্সে আপনার মেসেজ",
  },
} as const

export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)
