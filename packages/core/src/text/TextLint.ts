/**
 * Finds problems that make a verification text expensive or prevent a phone from filling in the code.
 *
 * iOS and Android do not fully document how they find a code in a text. The rules follow their documentation
 * and known behaviour.
 */
import { type OrganizationId, OrganizationId as organizationId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import * as Segments from "./Segments.ts"
import type { Locale, Template } from "./Templates.ts"
import { domainPattern, hashPattern } from "./WebOtp.ts"

export type Rule =
  /** The text does not contain the code. */
  | "code-missing"
  /** The code is in Bangla digits, which phones do not offer to fill in. */
  | "code-digits"
  /** The digits of the code are separated. */
  | "code-split"
  /** The code is not in the first line. */
  | "code-late"
  /** The line of the code contains no word for a code. */
  | "code-unnamed"
  /** The text contains another number, or the code more than once. */
  | "other-number"
  /** The text contains an address, or text that a phone may take for one. */
  | "link"
  /** The text takes more than one segment. */
  | "segments"
  /** One or two letters prevent GSM-7 for the whole text. */
  | "letters"
  /** The text contains an Android app's hash and is longer than the SMS Retriever reads. */
  | "retriever-size"
  /** The line with the domain is not the last, or does not have the format `@example.com #123456`. */
  | "domain-line"

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
  /**
   * The masking names that may send; an `undefined` element stands for no name.
   * @defaultValue no name, and a name of 11 letters, the maximum
   */
  readonly brandNames?: ReadonlyArray<string | undefined> | undefined
  /** Possible number of digits of a code. @defaultValue 4 to 10 */
  readonly codeLength?: { readonly min: number; readonly max: number } | undefined
  /** Possible lifetimes in seconds. @defaultValue 60 to 3,600 */
  readonly expirySeconds?: { readonly min: number; readonly max: number } | undefined
  /**
   * Words for a code in lower case; the line of the code must contain one of them.
   * @defaultValue `code` and `কোড`
   */
  readonly codeWords?: ReadonlyArray<string> | undefined
}

/** Number of bytes that the SMS Retriever reads. */
export const retrieverBytes = 140

/** The longest masking name of an SMS. */
const longestName = "ELEVEN-CHAR"

/** Digits that a text is unlikely to contain by chance. */
const codeOf = (length: number): string => "7390284615".repeat(2).slice(0, length)

interface Sample {
  readonly code: string
  readonly brandName: string | undefined
  readonly text: string
  /** The text without the lines and hashes for machines. */
  readonly human: string
  readonly domainLines: ReadonlyArray<DomainLine>
  readonly hasHash: boolean
  readonly count: Segments.Count
  readonly codeWords: ReadonlyArray<string>
}

interface DomainLine {
  readonly domain: string
  readonly line: string
  readonly isLast: boolean
}

const domainLine = /^@(\S+) #/

const lineEnd = /^(.*\s)(\S+)$/

/** Text in the alphabet of a hash that is a word, two words, or a number. */
const noHash = /^(?:[A-Za-z]?[a-z]+(?:[+/][A-Za-z]?[a-z]+)*|[A-Z]+|[\d+/]+)$/

/**
 * A line without the hash of an Android app; `undefined` if the line contains only the hash. The SMS
 * Retriever does not require a separate line. At the end of a line, words and senders in the alphabet of a
 * hash are not hashes.
 */
const withoutHash = (
  line: string,
  index: number,
  brandName: string | undefined,
): string | undefined => {
  if (index > 0 && hashPattern.test(line)) return undefined
  const [, before, word = ""] = lineEnd.exec(line) ?? []
  const isHash = hashPattern.test(word) && !noHash.test(word) && word !== brandName
  return isHash ? before : line
}

const sampleOf = (text: string, sent: Pick<Sample, "code" | "brandName" | "codeWords">): Sample => {
  const lines = text.split("\n")
  const domainLines: Array<DomainLine> = []
  const human: Array<string> = []
  let hasHash = false
  for (const [index, line] of lines.entries()) {
    const [, domain] = domainLine.exec(line) ?? []
    if (domain !== undefined) {
      domainLines.push({ domain, line, isLast: index === lines.length - 1 })
      continue
    }
    const rest = withoutHash(line, index, sent.brandName)
    if (rest !== line) hasHash = true
    if (rest !== undefined) human.push(rest)
  }
  return {
    ...sent,
    text,
    human: human.join("\n"),
    domainLines,
    hasHash,
    count: Segments.count(text),
  }
}

type Spelling = "plain" | "bangla" | "split" | "missing"

/** How the text for people contains the code. */
const spellingOf = ({ code, human }: Sample): Spelling => {
  if (human.includes(code)) return "plain"
  const ascii = PhoneNumber.normalizeDigits(human)
  if (ascii.includes(code)) return "bangla"
  return ascii.replace(/[^\p{L}\p{N}]/gu, "").includes(code) ? "split" : "missing"
}

const codeLine = ({ code, human }: Sample): string | undefined =>
  human.split("\n").find((line) => line.includes(code))

const addressPattern = /(?:https?:\/\/|www\.)\S+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b/i

/**
 * Number of bytes for the SMS Retriever's limit. Counts a septet as a byte, which is the strict
 * interpretation.
 */
const bytesOf = ({ encoding, units }: Segments.Count): number =>
  encoding === "gsm7" ? units : units * 2

/** More such letters indicate a language, not a slip. */
const maxStrayLetters = 2

const withWhat = ({ brandName, code }: Sample): string =>
  `with ${code.length} digits${brandName === undefined ? "" : ` and the name ${brandName}`}`

/** The rules in this order, each with the message for a text that breaks it. */
const rules: ReadonlyArray<readonly [rule: Rule, broken: (sample: Sample) => string | undefined]> =
  [
    [
      "code-missing",
      (sample) => (spellingOf(sample) === "missing" ? "The code is not in the text" : undefined),
    ],
    [
      "code-digits",
      (sample) => (spellingOf(sample) === "bangla" ? "The code is not in ASCII digits" : undefined),
    ],
    [
      "code-split",
      (sample) =>
        spellingOf(sample) === "split" ? "The digits of the code are not in one piece" : undefined,
    ],
    [
      "code-late",
      (sample) => {
        const [first = ""] = sample.human.split("\n")
        return spellingOf(sample) === "plain" && !first.includes(sample.code)
          ? "The code is not in the first line"
          : undefined
      },
    ],
    [
      "code-unnamed",
      (sample) => {
        const line = codeLine(sample)?.toLowerCase()
        return line === undefined || sample.codeWords.some((word) => line.includes(word))
          ? undefined
          : `None of the words ${sample.codeWords.join(", ")} is in the line of the code`
      },
    ],
    [
      "other-number",
      (sample) => {
        const numbers = sample.human.match(/\p{Nd}+/gu) ?? []
        const others = numbers.filter((number) => number !== sample.code)
        if (spellingOf(sample) !== "plain" || (numbers.length === 1 && others.length === 0))
          return undefined
        return others.length === 0
          ? "The code is in the text more than once"
          : `A phone may take another number for the code: ${others.join(", ")}`
      },
    ],
    [
      "link",
      ({ human }) => {
        const found = addressPattern.exec(human)
        return found === null
          ? undefined
          : `${found[0]} looks like an address, which filters and wary people distrust`
      },
    ],
    [
      "segments",
      (sample) => {
        const { encoding, segments, units } = sample.count
        const { single } = Segments.capacity[encoding]
        return segments === 1
          ? undefined
          : `It costs ${segments} segments ${withWhat(sample)}: it has ${units} units, and one holds ${single}`
      },
    ],
    [
      "letters",
      ({ text }) => {
        const letters = Segments.lettersBeyondGsm7(text)
        return letters.length === 0 || letters.length > maxStrayLetters
          ? undefined
          : `For ${letters.join(" and ")} alone the text takes 16 bits a letter, 70 to a segment`
      },
    ],
    [
      "retriever-size",
      (sample) => {
        const bytes = bytesOf(sample.count)
        return sample.hasHash && bytes > retrieverBytes
          ? `It has ${bytes} bytes ${withWhat(sample)}; the SMS Retriever reads ${retrieverBytes}`
          : undefined
      },
    ],
    [
      "domain-line",
      ({ code, domainLines }) => {
        if (!domainLines.every(({ isLast, line }) => isLast && line.endsWith(` #${code}`))) {
          return "The line with the domain has to be the last, and to end with the code"
        }
        const wrong = domainLines.find(({ domain }) => !domainPattern.test(domain))
        return wrong === undefined
          ? undefined
          : `${wrong.domain} is not a domain in lower case, without scheme, port or path`
      },
    ],
  ]

const upTo = (min: number, max: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, max - min + 1) }, (_, index) => min + index)

const samplesOf = (template: Template, options: Options): ReadonlyArray<Sample> => {
  const {
    brandNames = [undefined, longestName],
    codeLength = Limits.defaults.codeLength,
    codeWords = ["code", "কোড"],
    expirySeconds = Limits.defaults.expirySeconds,
    locale,
    organization = organizationId("example"),
  } = options
  return brandNames.flatMap((brandName) =>
    upTo(codeLength.min, codeLength.max).flatMap((length) =>
      [expirySeconds.min, expirySeconds.max].map((expirySeconds) => {
        const code = codeOf(length)
        const text = template({
          organization,
          locale,
          channel: "sms",
          code,
          expirySeconds,
          brandName,
        })
        return sampleOf(text, { code, brandName, codeWords })
      }),
    ),
  )
}

/**
 * The warnings for an SMS template, at most one per rule, for the longest text that breaks it. Empty if there
 * are no warnings. Accepts `Templates.render` as a template.
 */
export const lint = (template: Template, options: Options): ReadonlyArray<Warning> => {
  const samples = samplesOf(template, options).toSorted((a, b) => b.count.units - a.count.units)
  return rules.flatMap(([rule, broken]) => {
    for (const sample of samples) {
      const message = broken(sample)
      if (message !== undefined) return [{ rule, message, sample: sample.text }]
    }
    return []
  })
}
