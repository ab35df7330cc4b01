/**
 * Looks for what makes a verification text dear, or keeps a phone from filling the code in.
 *
 * How iOS and Android find a code in a text is not published in full; the rules are what their
 * documents ask for and what is known to work.
 */
import { type OrganizationId, OrganizationId as organizationId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import * as Segments from "./Segments.ts"
import type { Locale, Template } from "./Templates.ts"
import { domainPattern, hashPattern } from "./WebOtp.ts"

export type Rule =
  /** The text does not have the code in it. */
  | "code-missing"
  /** The code is written in Bangla digits, which phones do not offer to fill in. */
  | "code-digits"
  /** Something stands between the digits of the code. */
  | "code-split"
  /** The code is not in the first line. */
  | "code-late"
  /** No word for a code is in the code's line. */
  | "code-unnamed"
  /** There is a number besides the code, or the code stands there twice. */
  | "other-number"
  /** There is an address, or what a phone may take for one. */
  | "link"
  /** It costs more than one segment. */
  | "segments"
  /** One or two letters keep the whole text out of GSM-7. */
  | "letters"
  /** With an Android app's hash, it is longer than the SMS Retriever reads. */
  | "retriever-size"
  /** The line with the domain is not the last, or is not of the form `@example.com #123456`. */
  | "domain-line"

export interface Warning {
  readonly rule: Rule
  /** A sentence for whoever wrote the template. */
  readonly message: string
  /** A text that it is true of. The code is made up. */
  readonly sample: string
}

export interface Options {
  readonly locale: Locale
  /** Whom the texts are for; nobody that exists when left out. */
  readonly organization?: OrganizationId | undefined
  /** The names that may send, `undefined` for none: none and one of 11 letters, the longest, when left out. */
  readonly brandNames?: ReadonlyArray<string | undefined> | undefined
  /** How many digits codes may have; 4 to 10 when left out. */
  readonly codeLength?: { readonly min: number; readonly max: number } | undefined
  /** 60 to 3,600 when left out. */
  readonly expirySeconds?: { readonly min: number; readonly max: number } | undefined
  /** Words for a code, one of which has to be in its line, in lower case; `code` and `কোড` when left out. */
  readonly codeWords?: ReadonlyArray<string> | undefined
}

/** Bytes that the SMS Retriever reads. */
export const retrieverBytes = 140

/** Longest name that an SMS can come from. */
const longestName = "ELEVEN-CHAR"

/** Digits that no text is likely to have by chance. */
const codeOf = (length: number): string => "7390284615".repeat(2).slice(0, length)

interface Sample {
  readonly code: string
  readonly brandName: string | undefined
  readonly text: string
  /** Without what is for machines. */
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

/** What has the letters of a hash, and is a word, two words, or a number. */
const noHash = /^(?:[A-Za-z]?[a-z]+(?:[+/][A-Za-z]?[a-z]+)*|[A-Z]+|[\d+/]+)$/

/**
 * A line without the hash of an Android app, `undefined` for one that is nothing else. The SMS Retriever
 * wants no line of its own for it; at the end of one, words and senders that look alike are none.
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

/** How the code stands in what people read. */
const spellingOf = ({ code, human }: Sample): Spelling => {
  if (human.includes(code)) return "plain"
  const ascii = PhoneNumber.normalizeDigits(human)
  if (ascii.includes(code)) return "bangla"
  return ascii.replace(/[^\p{L}\p{N}]/gu, "").includes(code) ? "split" : "missing"
}

const codeLine = ({ code, human }: Sample): string | undefined =>
  human.split("\n").find((line) => line.includes(code))

const addressPattern = /(?:https?:\/\/|www\.)\S+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b/i

/** Bytes as the SMS Retriever's limit is read here: septets as bytes, which is the stricter reading. */
const bytesOf = ({ encoding, units }: Segments.Count): number =>
  encoding === "gsm7" ? units : units * 2

/** More letters than these are a language and not a slip. */
const maxStrayLetters = 2

const withWhat = ({ brandName, code }: Sample): string =>
  `with ${code.length} digits${brandName === undefined ? "" : ` and the name ${brandName}`}`

/** In this order: what to say of a text that breaks the rule. */
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
 * What is to be said of a template for SMS, each rule at most once, of the longest text that breaks it.
 * Nothing when all is well. `Templates.render` is a template too.
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
