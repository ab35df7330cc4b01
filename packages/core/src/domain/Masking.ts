/**
 * Makes what a vendor has sent fit to be kept: what it says stays, and what it must not say is hidden.
 *
 * Hidden are phone numbers and other long runs of digits but for their ends, every digit of a message's
 * text, because a code may be there, and the values of keys that name a credential or a signature. Times
 * stay where a key or their form says that they are times. What is in doubt is hidden.
 *
 * Forms, queries, JSON, XML, lines of headers and the texts of SMPP receipts are understood, and one
 * inside another, also where the whole is cut off or is coded more than once. What is named in a text or
 * in a credential is as secret as what it stands in. Bodies in parts are hidden.
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
  masked(raw.slice(0, maxRead), 0).slice(0, maxLength).toWellFormed()

/** Words of a vendor without numbers and credentials; shorter runs of digits, such as its codes for errors, stay. */
export const words = (text: string): string =>
  withoutControls(text.slice(0, maxRead))
    .replace(
      credential,
      (_, scheme: string | undefined, unsigned: string | undefined) =>
        unsigned ?? `${scheme ?? ""}${hidden}`,
    )
    .replace(numberLike, (found, exempt: string | undefined) => exempt ?? withoutMiddle(found))

/**
 * A row has no place for a NUL, and a terminal none for the others. Texts in UTF-16 that are read as
 * bytes have a NUL beside every digit, so they go before anything is looked for.
 */
const withoutControls = (text: string): string =>
  text.replaceAll("\0", "").replace(/[^\P{Cc}\n]+/gu, " ")

// `Bearer …`, a signed token, the name and the password in an address. What begins like a token and is
// none is taken as a whole: its end would be looked for again from each of its parts.
const credential =
  /(\b(?:Bearer|Basic|Digest)[^\S\n]+)[^\s"'<>&,;]+|\b(eyJ[\w-]*(?![\w-]|\.[\w-]*\.))|\beyJ[\w-]*\.[\w-]*\.[\w-]*|(?<=:\/\/)[^\s/@"'<>]+(?=@)/gi

const uuid = "(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z])"
const day = "(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
const clock = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
const dateTime = `(?<![\\p{Nd}+])${day}(?:[T ]${clock})?(?!\\p{Nd})`
const between =
  "(?:[^\\S\\n]|[()+.\\-/\\u2010-\\u2015\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069])"

// A list of codes has spaces where a number has none.
const grouping = "[_,]"

// What a report names our message by, with the end of its token; and a code for an error.
const ownName =
  "(?<![0-9A-Za-z])(?![A-Za-z0-9_-]{0,59}[0-9]{5})[A-Za-z0-9_-]{1,64}\\.[0-9]{1,9}\\.[0-9a-f]{12}(?![0-9A-Za-z])"
const hexadecimal = "(?<![0-9A-Za-z])0x[0-9a-fA-F]{1,8}(?![0-9A-Za-z])"

/** Seven digits or more of any script, however they are grouped; ids and times that look like that aside. */
const numberLike = new RegExp(
  `(${uuid}|${dateTime}|${ownName}|${hexadecimal})|\\+?\\p{Nd}(?:(?:${between}{0,3}|${grouping})\\p{Nd}){6,}`,
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

/** What the name of a value says of it; a number at its end only counts. */
const kindOf = (key: string): Kind | undefined => {
  const name = key
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/[0-9]{1,9}$/, "")
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

/** A value of a kind; a text may hold credentials of its own. */
const shown = (kind: Kind, value: string, depth: number): string => {
  if (kind === "secret") return hidden
  if (kind === "text") return withoutDigits(masked(value, depth + 1))
  return isTime(value) ? value : words(value)
}

const masked = (raw: string, depth: number): string => {
  if (depth > maxDepth) return hidden
  const all = withoutControls(raw)
  const text = all.replace(parts, "")
  if (text !== all) return `${masked(text, depth)}${hidden}`
  const json = jsonOf(text)
  if (json !== undefined) return JSON.stringify(withoutSecrets(json.value, undefined, depth))
  const [first = ""] = text.split("\n", 1)
  if (!isForm(first)) return loose(text, depth)
  // A query, and below it a body.
  const rest = first === text ? "" : `\n${masked(text.slice(first.length + 1), depth + 1)}`
  return `${form(first, depth)}${rest}`
}

/** A body in parts, from its first boundary on. */
const parts = /--[^\n]{1,80}\n[^\S\n]*content-[a-z-]+[^\S\n]*:[^]*/i

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
    const shownNumber =
      kind === undefined ? words(String(value)) : shown(kind, String(value), depth)
    return shownNumber === String(value) ? value : shownNumber
  }
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, kind, depth + 1))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      kind === "text" ? withoutDigits(key) : words(key),
      withoutSecrets(one, within(kind, kindOf(key)), depth + 1),
    ]),
  )
}

/** What stands in a text is text too, whatever it is called, if it is no credential. */
const within = (outer: Kind | undefined, own: Kind | undefined): Kind | undefined =>
  outer === "text" && own !== "secret" ? outer : own

const valueOf = (value: string, kind: Kind | undefined, depth: number): string =>
  kind === undefined ? masked(value, depth + 1) : shown(kind, value, depth)

const isForm = (line: string): boolean => /^\??[^\s=&{[<"'][^\s=&{<"']*=\S*$/.test(line)

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

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
  nbsp: " ",
}

const withoutEntities = (text: string): string =>
  text.replace(
    /&(?:#([0-9]{1,12});?|#x([0-9a-f]{1,12});?|(lt|gt|quot|apos|amp|nbsp);)/gi,
    (_, decimal: string | undefined, hex: string | undefined, name = "") => {
      const point = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal)
      if (Number.isNaN(point)) return entities[String(name).toLowerCase()] ?? " "
      return point > 0x10ffff ? " " : String.fromCodePoint(point)
    },
  )

const withoutBackslashes = (text: string): string =>
  text.replace(
    /\\(?:u([0-9a-f]{4})|([bfnrt])|(["'/\\]))/gi,
    (_, hex: string | undefined, blank: string | undefined, itself: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
      if (blank !== undefined) return blank === "n" ? "\n" : " "
      return itself ?? ""
    },
  )

/** What hides elements from being elements. */
const withoutSections = (text: string): string => text.replace(/<!\[CDATA\[|\]\]>|<!--|-->/g, "")

const codings = [withoutSections, withoutPercent, withoutEntities, withoutBackslashes]

const withoutEscapes = (text: string): string =>
  withoutControls(codings.reduce((one, without) => without(one), text))

/**
 * Text that is none of the known forms as a whole: keys are looked for in it. They are looked for before
 * it is decoded, because only then is it certain where a value ends, and again afterwards.
 */
const loose = (text: string, depth: number): string => {
  const looked = withoutNamed(text)
  const decodings = codings.map((without) => without(looked)).filter((one) => one !== looked)
  const [decodedOnce] = decodings
  if (decodedOnce === undefined) return wordsWithTimes(looked)
  if (decodings.length === 1) return masked(decodedOnce, depth + 1)
  // Which coding is the outer one cannot be told, nor where a value ends.
  const all = settled(looked)
  return all === undefined ? hidden : wordsWithTimes(withoutNamed(all.replace(parts, hidden), true))
}

/** Credentials first: they may stand in texts. With `toEnd`, no value is known to end before all does. */
const withoutNamed = (text: string, toEnd = false): string =>
  named(named(text, "secret", toEnd), "text", toEnd)

const named = (text: string, kind: Named, toEnd: boolean): string =>
  inPairs(inElements(text, kind, toEnd), kind, toEnd)

type Named = "secret" | "text"

const hiddenAs = (kind: Named, value: string): string =>
  kind === "secret" ? hidden : withoutDigits(settled(value) ?? hidden)

/** A text without its credentials from which every coding is taken, if it is not coded too often. */
const settled = (value: string): string | undefined => {
  let text = value
  for (let round = 0; round <= maxDepth; round++) {
    const looked = named(text, "secret", false)
    text = withoutEscapes(looked)
    if (text === looked) return text
  }
  return undefined
}

const tag =
  /<!\[CDATA\[.*?(?:\]\]>|$)|<!--.*?(?:-->|$)|<(\/?)([A-Za-z_][\w.:-]{0,60})((?:\s[^<>]*)?)>/gs

/** The kind of an element reaches to its end tag, or to the end of all. */
const inElements = (text: string, kind: Named, toEnd: boolean): string => {
  let told = ""
  let from = 0
  let open: { readonly name: string; count: number } | undefined
  let root: string | undefined
  const close = (end: number) => {
    told += hiddenAs(kind, text.slice(from, end))
    from = end
    open = undefined
  }
  for (const found of text.matchAll(tag)) {
    const [all, slash, name = "", rest = ""] = found
    // Where an envelope or a page has all that it has is not the text of a message.
    if (open?.name === bodyOfAll && !toEnd) close(found.index)
    if (name === "" || rest.endsWith("/")) continue
    root ??= localName(name)
    if (open !== undefined) {
      if (open.name === name) open.count += slash === "/" ? -1 : 1
      if (open.count === 0 && !toEnd) close(found.index)
    } else if (slash !== "/" && kindOf(name) === kind) {
      const start = found.index + all.length
      told += text.slice(from, start)
      from = start
      const ofAll = localName(name) === "body" && (root === "envelope" || root === "html")
      if (ofAll) root = ""
      open = { name: ofAll ? bodyOfAll : name, count: 1 }
    }
  }
  if (open !== undefined) close(text.length)
  return told + text.slice(from)
}

/** No element can be called so. */
const bodyOfAll = "<"

const localName = (name: string): string => name.slice(name.lastIndexOf(":") + 1).toLowerCase()

const pair = /(["']?)([A-Za-z_][\w.[\]-]{0,60})\1[^\S\n]*[:=][^\S\n]*/g

const inPairs = (text: string, kind: Named, toEnd: boolean): string => {
  let told = ""
  let from = 0
  for (const found of text.matchAll(pair)) {
    if (found.index < from || kindOf(found[2] ?? "") !== kind) continue
    const start = found.index + found[0].length
    const end = start + lengthOf(kind, text.slice(start), toEnd)
    told += text.slice(from, start) + hiddenAs(kind, text.slice(start, end))
    from = end
  }
  return told + text.slice(from)
}

const wordsWithTimes = (text: string): string => {
  let told = ""
  let from = 0
  for (const found of text.matchAll(pair)) {
    if (kindOf(found[2] ?? "") !== "time") continue
    const start = found.index + found[0].length
    const end = start + lengthOf("time", text.slice(start), false)
    if (found.index < from || !isTime(text.slice(start, end))) continue
    told += words(text.slice(from, start)) + text.slice(start, end)
    from = end
  }
  return told + words(text.slice(from))
}

const quoted = /^"(?:[^"\\]|\\.)*(?:"|$)|^'(?:[^'\\]|\\.)*(?:'|$)/s
// A text ends where everything ends: there is no telling what in it is its own.
const unquoted: Record<Kind, RegExp> = {
  secret: /^[^\n]*?(?=&[\w.[\]-]+=|\n|$)/,
  text: /^.*$/s,
  time: /^[0-9]*/,
}

const lengthOf = (kind: Kind, rest: string, toEnd: boolean): number =>
  ((toEnd ? null : quoted.exec(rest)) ?? unquoted[kind].exec(rest) ?? [""])[0].length
