/**
 * Texts made safe for a terminal.
 *
 * Control characters would move the cursor, or colour the rest of the screen. The others would break the line, or
 * change the direction of what follows.
 */

/** The text of a cell or a sentence, with a space for each series of such characters. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, " ")

/** As `printable`, but line breaks stay. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")

/** A value as JSON, with escapes for the characters that JSON allows in strings. `space`: as in `JSON.stringify`. */
export const jsonOf = (value: unknown, space?: number): string =>
  JSON.stringify(value, undefined, space).replaceAll(
    /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** Hides user names and passwords of URLs. */
export const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s"']*@/gi, "$1…@")
    .replaceAll(/([?&](?:ssl)?password=)[^&\s"']*/gi, "$1…")
