/** Masks phone numbers and credentials in a vendor's text. */

/** Number of UTF-16 units of a text that are examined; the rest is cut off. */
const maxRead = 16_384

const hidden = "***"

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
