/**
 * Finds problems that make a verification text expensive or keep a phone from filling in the code. The rules follow the
 * documentation and the known behaviour of iOS and Android.
 */
import * as Struct from "effect/Struct"
import { type OrganizationId, OrganizationId as organizationId } from "../domain/values/Ids.ts"
import * as Limits from "../domain/limits/Limits.ts"
import type { Payment } from "../domain/verifications/Payment.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import * as Segments from "./Segments.ts"
import type { Locale, Template } from "./Templates.ts"
import { domainPattern, hashPattern } from "./WebOtp.ts"

/** A rule for texts, by its name. */
export type Rule = keyof typeof rules

export interface Warning {
  readonly rule: Rule
  /** A sentence for the author of the template. */
  readonly message: string
  /** A text with the problem. The code is made up. */
  readonly sample: string
}

export interface Options {
  readonly locale: Locale
  /** The organization of the texts. `undefined`: an organization that does not exist. */
  readonly organization?: OrganizationId | undefined
  /** The masking names; `undefined` is no name. @defaultValue no name, and one of 11 letters */
  readonly senderNames?: ReadonlyArray<string | undefined> | undefined
  /** Possible number of digits of a code. @defaultValue 4 to 10 */
  readonly codeLength?: { readonly min: number; readonly max: number } | undefined
  /** Possible lifetimes in seconds. @defaultValue 60 to 3,600 */
  readonly expirySeconds?: { readonly min: number; readonly max: number } | undefined
  /** A payment that the codes approve. @defaultValue no payment */
  readonly payment?: Payment | undefined
  /** Words in lower case that stand by the code; one is enough. @defaultValue `code` and `কোড` */
  readonly codeWords?: ReadonlyArray<string> | undefined
}

/** Number of bytes that the SMS Retriever reads. */
const retrieverBytes = 140

/** The longest masking name of an SMS. */
const longestName = "ELEVEN-CHAR"

/** Digits that a text is unlikely to contain by chance. */
const codeOf = (length: number): string => "7390284615".repeat(2).slice(0, length)

interface Sent {
  readonly code: string
  readonly senderName: string | undefined
  readonly codeWords: ReadonlyArray<string>
  readonly payment: Payment | undefined
}

const domainLine = /^@(\S+) #/

const lineEnd = /^(.*\s)(\S+)$/

/** Text in the alphabet of a hash that is a word, two words, or a number. */
const noHash = /^(?:[A-Za-z]?[a-z]+(?:[+/][A-Za-z]?[a-z]+)*|[A-Z]+|[\d+/]+)$/

/**
 * A line without the hash of an Android app; `undefined` if nothing else is in it. A hash may end a line, as
 * words and senders in its alphabet do.
 */
const withoutHash = (
  line: string,
  index: number,
  senderName: string | undefined,
): string | undefined => {
  if (index > 0 && hashPattern.test(line)) return undefined
  const [, before, word = ""] = lineEnd.exec(line) ?? []
  const isHash = hashPattern.test(word) && !noHash.test(word) && word !== senderName
  return isHash ? before : line
}

const sampleOf = (text: string, sent: Sent) => {
  const lines = text.split("\n")
  const domainLines: Array<{ domain: string; line: string; isLast: boolean }> = []
  const human: Array<string> = []
  let hasHash = false
  for (const [index, line] of lines.entries()) {
    const [, domain] = domainLine.exec(line) ?? []
    if (domain !== undefined) {
      domainLines.push({ domain, line, isLast: index === lines.length - 1 })
      continue
    }
    const rest = withoutHash(line, index, sent.senderName)
    if (rest !== line) hasHash = true
    if (rest !== undefined) human.push(rest)
  }
  // `human`: the text without the lines and hashes for machines.
  return {
    ...sent,
    text,
    human: human.join("\n"),
    domainLines,
    hasHash,
    count: Segments.count(text),
  }
}

type Sample = ReturnType<typeof sampleOf>

type Spelling = "exact" | "bangla" | "split" | "missing"

const spellingOf = ({ code, human }: Sample): Spelling => {
  if (human.includes(code)) return "exact"
  const ascii = PhoneNumber.normalizeDigits(human)
  if (ascii.includes(code)) return "bangla"
  return ascii.replace(/[^\p{L}\p{N}]/gu, "").includes(code) ? "split" : "missing"
}

const addressPattern = /(?:https?:\/\/|www\.)\S+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b/i

/** More such letters indicate a language, not a slip. */
const maxStrayLetters = 2

const sampleDetails = ({ senderName, code }: Sample): string =>
  `with ${code.length} digits${senderName === undefined ? "" : ` and the name ${senderName}`}`

const numbersIn = (text: string): ReadonlyArray<string> => text.match(/\p{Nd}+/gu) ?? []

type Check = (sample: Sample) => string | undefined

const spelling =
  (wrong: Spelling, message: string): Check =>
  (sample) =>
    spellingOf(sample) === wrong ? message : undefined

/** The rules in this order, each with the message for a text that breaks it. */
const rules = {
  "code-missing": spelling("missing", "The code is not in the text"),
  /** The code is in Bangla digits, which phones do not offer to fill in. */
  "code-digits": spelling("bangla", "The code is not in ASCII digits"),
  "code-split": spelling("split", "The digits of the code are not in one piece"),
  "code-late": (sample) => {
    const [first = ""] = sample.human.split("\n")
    return spellingOf(sample) === "exact" && !first.includes(sample.code)
      ? "The code is not in the first line"
      : undefined
  },
  "code-unnamed": ({ code, codeWords, human }) => {
    const line = human.split("\n").find((text) => text.includes(code))
    return line === undefined || codeWords.some((word) => line.toLowerCase().includes(word))
      ? undefined
      : `None of the words ${codeWords.join(", ")} is in the line of the code`
  },
  "other-number": (sample) => {
    if (spellingOf(sample) !== "exact") return undefined
    const { amount = "", payee = "" } = sample.payment ?? {}
    const paid = numbersIn(`${amount} ${payee}`)
    const numbers = numbersIn(sample.human)
    const others = numbers.filter((number) => number !== sample.code && !paid.includes(number))
    if (others.length > 0) {
      return `A phone may take another number for the code: ${others.join(", ")}`
    }
    return numbers.filter((number) => number === sample.code).length === 1
      ? undefined
      : "The code is in the text more than once"
  },
  /** The text contains an address, or text that a phone may take for one. */
  link: ({ human }) => {
    const [address] = addressPattern.exec(human) ?? []
    return address && `${address} looks like an address, which filters and wary people distrust`
  },
  segments: (sample) => {
    const { encoding, segments, units } = sample.count
    const { single } = Segments.capacity[encoding]
    return segments === 1
      ? undefined
      : `It costs ${segments} segments ${sampleDetails(sample)}: it has ${units} units, and one holds ${single}`
  },
  /** One or two letters prevent GSM-7 for the whole text. */
  letters: ({ text }) => {
    const letters = Segments.lettersBeyondGsm7(text)
    return letters.length === 0 || letters.length > maxStrayLetters
      ? undefined
      : `For ${letters.join(" and ")} alone the text takes 16 bits a letter, 70 to a segment`
  },
  /** The text contains an Android app's hash and is longer than the SMS Retriever reads. */
  "retriever-size": (sample) => {
    const { encoding, units } = sample.count
    // The strict interpretation of the limit: a septet counts as a byte.
    const bytes = encoding === "gsm7" ? units : units * 2
    return sample.hasHash && bytes > retrieverBytes
      ? `It has ${bytes} bytes ${sampleDetails(sample)}; the SMS Retriever reads ${retrieverBytes}`
      : undefined
  },
  "domain-line": ({ code, domainLines }) => {
    if (!domainLines.every(({ isLast, line }) => isLast && line.endsWith(` #${code}`))) {
      return "The line with the domain has to be the last, and to end with the code"
    }
    const wrong = domainLines.find(({ domain }) => !domainPattern.test(domain))
    return wrong && `${wrong.domain} is not a domain in lower case, without scheme, port or path`
  },
} satisfies Record<string, Check>

const range = (min: number, max: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, max - min + 1) }, (_, index) => min + index)

const samplesOf = (template: Template, options: Options): ReadonlyArray<Sample> => {
  const {
    senderNames = [undefined, longestName],
    codeLength = Limits.defaults.codeLength,
    codeWords = ["code", "কোড"],
    expirySeconds = Limits.defaults.expirySeconds,
    locale,
    organization = organizationId("example"),
    payment,
  } = options
  return senderNames.flatMap((senderName) =>
    range(codeLength.min, codeLength.max).flatMap((length) =>
      [expirySeconds.min, expirySeconds.max].map((expirySeconds) => {
        const code = codeOf(length)
        const text = template({
          organization,
          locale,
          channel: "sms",
          code,
          expirySeconds,
          senderName,
          payment,
        })
        return sampleOf(text, { code, senderName, codeWords, payment })
      }),
    ),
  )
}

/**
 * The warnings for an SMS template, at most one per rule, for the longest text that breaks it. Accepts
 * `Templates.render` as a template.
 */
export const lint = (template: Template, options: Options): ReadonlyArray<Warning> => {
  const samples = samplesOf(template, options).toSorted((a, b) => b.count.units - a.count.units)
  return Struct.keys(rules).flatMap((rule) => {
    for (const sample of samples) {
      const message = rules[rule](sample)
      if (message !== undefined) return [{ rule, message, sample: sample.text }]
    }
    return []
  })
}
