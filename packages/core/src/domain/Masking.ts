/**
 * Masks the data of a vendor for storage. Keeps the information and hides secrets.
 *
 * Hides phone numbers and other long runs of digits except for their ends, every digit of a message's text,
 * because it may contain a code, and the values of keys that name a credential or a signature. Keeps times if
 * a key or their format identifies them as times. Hides everything that is in doubt.
 *
 * Understands forms, queries, JSON, XML, header lines and the texts of SMPP receipts, nested in each other,
 * cut off, or encoded more than once. A value inside a text or a credential is as secret as the text or the
 * credential. Hides multipart bodies.
 */

/** Number of UTF-16 units of a text that are examined; the rest is cut off. */
export const maxRead = 16_384

/** Maximum length of the result of `report`, in UTF-16 units. */
export const maxLength = 2_000

/** Nested values are examined to this depth and hidden below it. */
const maxDepth = 8

const hidden = "***"

/** Masks a report as it was received. */
export const report = (raw: string): string =>
  masked(raw.slice(0, maxRead), 0).slice(0, maxLength).toWellFormed()

/** Masks numbers and credentials in a vendor's text. Keeps shorter runs of digits, such as error codes. */
export const words = (text: string): string =>
  withoutControls(text.slice(0, maxRead))
    .replace(
      credential,
      (_, scheme: string | undefined, unsigned: string | undefined) =>
        unsigned ?? `${scheme ?? ""}${hidden}`,
    )
    .replace(numberLike, (found, exempt: string | undefined) => exempt ?? withoutMiddle(found))

/**
 * Removes control characters, because a row cannot contain NUL and a terminal must not print the others. Runs
 * first, because UTF-16 text that is read as bytes has a NUL beside every digit.
 */
const withoutControls = (text: string): string =>
  text.replaceAll("\0", "").replace(/[^\P{Cc}\n]+/gu, " ")

// `Bearer …`, a signed token, and the name and password in a URL. Text that only begins like a token is
// matched as a whole; otherwise the end of the token would be searched from each of its parts.
const credential =
  /(\b(?:Bearer|Basic|Digest)[^\S\n]+)[^\s"'<>&,;]+|\b(eyJ[\w-]*(?![\w-]|\.[\w-]*\.))|\beyJ[\w-]*\.[\w-]*\.[\w-]*|(?<=:\/\/)[^\s/@"'<>]+(?=@)/gi

const uuid = "(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z])"
const day = "(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
const clock = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
const dateTime = `(?<![\\p{Nd}+])${day}(?:[T ]${clock})?(?!\\p{Nd})`
const between =
  "(?:[^\\S\\n]|[()+.\\-/\\u2010-\\u2015\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069])"

// A list of codes has spaces where a phone number has none.
const grouping = "[_,]"

// The name of our message in a report, with the end of its token; and a hexadecimal error code.
const ownName =
  "(?<![0-9A-Za-z])(?![A-Za-z0-9_-]{0,59}[0-9]{5})[A-Za-z0-9_-]{1,64}\\.[0-9]{1,9}\\.[0-9a-f]{12}(?![0-9A-Za-z])"
const hexadecimal = "(?<![0-9A-Za-z])0x[0-9a-fA-F]{1,8}(?![0-9A-Za-z])"

/** Seven digits or more of any script in any grouping, except ids and times that look similar. */
const numberLike = new RegExp(
  `(${uuid}|${dateTime}|${ownName}|${hexadecimal})|\\+?\\p{Nd}(?:(?:${between}{0,3}|${grouping})\\p{Nd}){6,}`,
  "giu",
)

/** Masks as `PhoneNumber.mask` does; hides at least five digits. */
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

/** The kind of a value by its key. Ignores a number at the end of the key. */
const kindOf = (key: string): Kind | undefined => {
  const name = key
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/[0-9]{1,9}$/, "")
  if (secretKey.test(name)) return "secret"
  if (textKey.test(name)) return "text"
  return timeKey.test(name) ? "time" : undefined
}

// Only recent and near years count as times: other numbers of 10 to 14 digits are phone numbers.
const writtenTime =
  /^(?:20)?[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?$/
const epoch = /^1[5-9][0-9]{8}(?:[0-9]{3})?$|^2[0-4][0-9]{8}(?:[0-9]{3})?$/

const isTime = (text: string): boolean => writtenTime.test(text) || epoch.test(text)

const withoutDigits = (text: string): string => words(text).replace(/\p{Nd}/gu, "*")

/** Shows a value by its kind. A text may contain credentials. */
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
  // A query, followed by a body.
  const rest = first === text ? "" : `\n${masked(text.slice(first.length + 1), depth + 1)}`
  return `${form(first, depth)}${rest}`
}

/** A multipart body, from its first boundary on. */
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

/** A value inside a text is text too under any key, unless it is a credential. */
const within = (outer: Kind | undefined, own: Kind | undefined): Kind | undefined =>
  outer === "text" && own !== "secret" ? outer : own

const valueOf = (value: string, kind: Kind | undefined, depth: number): string =>
  kind === undefined ? masked(value, depth + 1) : shown(kind, value, depth)

const isForm = (line: string): boolean => /^\??[^\s=&{[<"'][^\s=&{<"']*=\S*$/.test(line)

/** Splits the pairs before decoding them, because a decoded value may contain separators. */
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

/** Removes the markers of sections and comments, which hide elements. */
const withoutSections = (text: string): string => text.replace(/<!\[CDATA\[|\]\]>|<!--|-->/g, "")

const codings = [withoutSections, withoutPercent, withoutEntities, withoutBackslashes]

const withoutEscapes = (text: string): string =>
  withoutControls(codings.reduce((one, without) => without(one), text))

/**
 * Text without a known format as a whole: searches it for keys. Searches before decoding, because only then
 * is the end of a value certain, and again after decoding.
 */
const loose = (text: string, depth: number): string => {
  const looked = withoutNamed(text)
  const decodings = codings.map((without) => without(looked)).filter((one) => one !== looked)
  const [decodedOnce] = decodings
  if (decodedOnce === undefined) return wordsWithTimes(looked)
  if (decodings.length === 1) return masked(decodedOnce, depth + 1)
  // With several codings, neither the outer coding nor the end of a value is known.
  const all = settled(looked)
  return all === undefined ? hidden : wordsWithTimes(withoutNamed(all.replace(parts, hidden), true))
}

/**
 * Masks credentials first, because texts may contain them. With `toEnd`, a value extends to the end of the
 * text.
 */
const withoutNamed = (text: string, toEnd = false): string =>
  named(named(text, "secret", toEnd), "text", toEnd)

const named = (text: string, kind: Named, toEnd: boolean): string =>
  inPairs(inElements(text, kind, toEnd), kind, toEnd)

type Named = "secret" | "text"

const hiddenAs = (kind: Named, value: string): string =>
  kind === "secret" ? hidden : withoutDigits(settled(value) ?? hidden)

/** Removes the credentials and all codings from a text; `undefined` if it is encoded too often. */
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

/** Masks elements of a kind, each up to its end tag or the end of the text. */
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
    // The body of an envelope or a page contains all elements, so it is not the text of a message.
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

/** No element can have this name. */
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
// A text extends to the end, because its own end cannot be recognized.
const unquoted: Record<Kind, RegExp> = {
  secret: /^[^\n]*?(?=&[\w.[\]-]+=|\n|$)/,
  text: /^.*$/s,
  time: /^[0-9]*/,
}

const lengthOf = (kind: Kind, rest: string, toEnd: boolean): number =>
  ((toEnd ? null : quoted.exec(rest)) ?? unquoted[kind].exec(rest) ?? [""])[0].length
