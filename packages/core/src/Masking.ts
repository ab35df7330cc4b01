/**
 * Makes what a vendor has sent fit to be kept: what it says stays, and what it must not say is hidden.
 *
 * Hidden are phone numbers and other long runs of digits but for their ends, every digit of a message's
 * text, because a code may be there, and the values of keys that name a credential or a signature. Times
 * stay where a key or their form says that they are times. What is in doubt is hidden.
 *
 * Forms, queries, JSON, XML, lines of headers and the texts of SMPP receipts are understood, and one
 * inside another.
 *
 * @module-kind pure
 */

/** How much of a text is looked at, in UTF-16 units; the rest is cut off. */
export const maxRead = 16_384

/** Longest text that `report` gives, in UTF-16 units. */
export const maxLength = 2_000

/** Values that stand in values are looked into this deep, and hidden below. */
const maxDepth = 8

const hidden = "***"

/** A report as it was received, fit to be kept. */
export const report = (raw: string): string =>
  masked(raw.slice(0, maxRead), 0)
    // A row has no place for a NUL, and a terminal none for the others.
    .replace(/[^\P{Cc}\n]+/gu, " ")
    .slice(0, maxLength)
    .toWellFormed()

/** Words of a vendor without numbers and credentials; shorter runs of digits, such as its codes for errors, stay. */
export const words = (text: string): string =>
  text
    .slice(0, maxRead)
    .replace(credential, (_, scheme: string | undefined) => `${scheme ?? ""}${hidden}`)
    .replace(numberLike, (found, exempt: string | undefined) => exempt ?? withoutMiddle(found))

// `Bearer …`, a signed token, the name and the password in an address.
const credential =
  /(\b(?:Bearer|Basic|Digest)[^\S\n]+)[^\s"'<>&,;]+|\beyJ[\w-]*\.[\w-]*\.[\w-]*|(?<=:\/\/)[^\s/@"'<>]+(?=@)/gi

const uuid = "(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z])"
const day = "(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
const clock = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
const dateTime = `(?<![\\p{Nd}+])${day}(?:[T ]${clock})?(?!\\p{Nd})`
const between =
  "(?:[^\\S\\n]|[()+.\\-/\\u2010-\\u2015\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069])"

// What a report names our message by, with the end of its token; and a code for an error.
const ownName =
  "(?<![0-9A-Za-z])(?![A-Za-z0-9_-]*[0-9]{5})[A-Za-z0-9_-]{1,64}\\.[0-9]{1,9}\\.[0-9a-f]{12}(?![0-9A-Za-z])"
const hexadecimal = "(?<![0-9A-Za-z])0x[0-9a-fA-F]{1,8}(?![0-9A-Za-z])"

/** Seven digits or more of any script, however they are grouped; ids and times that look like that aside. */
const numberLike = new RegExp(
  `(${uuid}|${dateTime}|${ownName}|${hexadecimal})|\\+?\\p{Nd}(?:${between}{0,3}\\p{Nd}){6,}`,
  "giu",
)

/** As `PhoneNumber.mask` shows a number; five digits or more are hidden. */
const withoutMiddle = (found: string): string => {
  const digits = found.match(/\p{Nd}/gu) ?? []
  const tail = digits.length > 7 ? 3 : 2
  const head = Math.min(4, Math.max(0, digits.length - tail - 5))
  const plus = found.startsWith("+") ? "+" : ""
  return `${plus}${digits.slice(0, head).join("")}*****${digits.slice(-tail).join("")}`
}

type Kind = "secret" | "text" | "time"

const secretKey =
  /token|secret|passw|passphrase|passcode|signature|apikey|accesskey|privatekey|authorization|credential|bearer|hmac|cookie|otp$|^otp|^(?:key|sig|sign|pass|pwd|pin|auth|user|username|login|session|jwt|verificationcode)$/
const textKey = /(?:text|body|message|msg|content|caption|^sms)$/
const timeKey = /(?:time|timestamp|date|^ts|[_a-z]at)$/

/** What the name of a value says of it. */
const kindOf = (key: string): Kind | undefined => {
  const name = key.toLowerCase().replace(/[^a-z0-9]/g, "")
  if (secretKey.test(name)) return "secret"
  if (textKey.test(name)) return "text"
  return timeKey.test(name) ? "time" : undefined
}

// Years are those in which there are vendors: 10 to 14 digits are a phone number otherwise.
const writtenTime =
  /^(?:20)?[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?$/
const epoch = /^1[5-9][0-9]{8}(?:[0-9]{3})?$|^2[0-4][0-9]{8}(?:[0-9]{3})?$/

const isTime = (text: string): boolean => writtenTime.test(text) || epoch.test(text)

const withoutDigits = (text: string): string => words(text).replace(/\p{Nd}/gu, "*")

/** A value of a kind, of which nothing more is known. */
const shown = (kind: Kind, value: string): string => {
  if (kind === "secret") return hidden
  if (kind === "text") return withoutDigits(value)
  return isTime(value) ? value : words(value)
}

const masked = (text: string, depth: number): string => {
  if (depth > maxDepth) return hidden
  const json = jsonOf(text)
  if (json !== undefined) return JSON.stringify(withoutSecrets(json.value, undefined, depth))
  const [first = ""] = text.split("\n", 1)
  if (!isForm(first)) return loose(text)
  // A query, and below it a body.
  const rest = first === text ? "" : `\n${masked(text.slice(first.length + 1), depth + 1)}`
  return `${form(first, depth)}${rest}`
}

const jsonOf = (text: string): { readonly value: unknown } | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const withoutSecrets = (value: unknown, kind: Kind | undefined, depth: number): unknown => {
  if (kind === "secret" || depth > maxDepth) return hidden
  if (typeof value === "string") return valueOf(value, kind, depth)
  if (typeof value === "number") {
    const shownNumber = kind === undefined ? words(String(value)) : shown(kind, String(value))
    return shownNumber === String(value) ? value : shownNumber
  }
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, kind, depth + 1))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      words(key),
      // What is named in a text is of the kind of its own name.
      withoutSecrets(one, kindOf(key), depth + 1),
    ]),
  )
}

const valueOf = (value: string, kind: Kind | undefined, depth: number): string =>
  kind === undefined ? masked(value, depth + 1) : shown(kind, value)

const isForm = (line: string): boolean => /^\??[^\s=&{[<"']+=\S*$/.test(line)

/** Pairs are told apart before they are decoded: a value may hold what would separate them. */
const form = (line: string, depth: number): string =>
  line
    .split("&")
    .map((pair) => {
      const [key = ""] = pair.split("=", 1)
      if (key === pair) return words(decoded(pair))
      const name = decoded(key)
      const value = decoded(pair.slice(key.length + 1))
      return `${words(name)}=${valueOf(value, kindOf(name), depth)}`
    })
    .join("&")

const decoded = (text: string): string => {
  const spaced = text.replaceAll("+", " ")
  try {
    return decodeURIComponent(spaced)
  } catch {
    return withoutPercent(spaced)
  }
}

const withoutPercent = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

const withoutEscapes = (text: string): string =>
  withoutPercent(text).replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )

const element = /<([A-Za-z_][\w.:-]{0,60})((?:\s[^<>]*)?)>((?:<!\[CDATA\[)?[^<]*)/g
const pair = /(["']?)([A-Za-z_][\w.[\]-]{0,60})\1[^\S\n]*[:=][^\S\n]*/g

/** Text that is none of the known forms as a whole: keys are looked for in it. */
const loose = (raw: string): string => {
  const text = withoutEscapes(raw).replace(
    element,
    (all, key: string, rest: string, value: string) => {
      const kind = kindOf(key)
      return kind === undefined ? all : `<${key}${rest}>${shown(kind, value)}`
    },
  )
  let told = ""
  let from = 0
  for (const found of text.matchAll(pair)) {
    const kind = kindOf(found[2] ?? "")
    if (found.index < from || kind === undefined) continue
    const start = found.index + found[0].length
    const end = start + lengthOf(kind, text.slice(start))
    told += words(text.slice(from, start)) + shown(kind, text.slice(start, end))
    from = end
  }
  return told + words(text.slice(from))
}

const quoted = /^"(?:[^"\\]|\\.)*(?:"|$)|^'[^']*(?:'|$)/s
// A text ends where everything ends: there is no telling what in it is its own.
const unquoted: Record<Kind, RegExp> = {
  secret: /^.*?(?=&[\w.[\]-]+=|\n|$)/,
  text: /^.*$/s,
  time: /^[0-9]*/,
}

const lengthOf = (kind: Kind, rest: string): number =>
  (quoted.exec(rest) ?? unquoted[kind].exec(rest) ?? [""])[0].length
