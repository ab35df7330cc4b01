/** Codes as people type and paste them. */

/** The text with ASCII digits for Bangla digits. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x09e6))

/** The digits of a typed text, at most `length` of them. */
export const digitsOf = (text: string, length: number): string =>
  asciiDigits(text).replaceAll(/\D/g, "").slice(0, length)

/**
 * The code in a pasted text, which may be the whole message. Prefers the code of the last line `@example.com #123456`
 * that browsers read. Otherwise takes the first number of this length, also one in groups: `123 456`. Returns the
 * digits of a text that has no other letters, and nothing for other texts.
 */
export const codeIn = (pasted: string, length: number): string => {
  const text = asciiDigits(pasted)
  const [, bound] = /^@\S+ #(\d+)/m.exec(text) ?? []
  if (bound?.length === length) return bound
  // A separator counts only between digits, so that a phone number is one long number.
  const numbers = text.match(/\+?\d+(?:[ \u00a0-]\d+)*/g) ?? []
  const whole = numbers
    .flatMap((number) => [number, ...number.split(/[ \u00a0-]/)])
    .map((number) => number.replaceAll(/[ \u00a0-]/g, ""))
  const code = whole.find((number) => number.length === length)
  if (code !== undefined) return code
  return /^[\d\s-]*$/.test(text) ? digitsOf(text, length) : ""
}
