/**
 * The number of SMS segments of a text: its encoding, and where it is cut.
 *
 * A text of the default alphabet of GSM 03.38 is sent in septets, all other texts in UCS-2. Segments are a
 * little shorter than an SMS, because a header joins them again.
 */

export type Encoding = "gsm7" | "ucs2"

/** Units of an SMS: septets of GSM-7, or 16-bit units of UCS-2. */
export const capacity = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
} as const satisfies Record<Encoding, { readonly single: number; readonly part: number }>

export interface Count {
  readonly encoding: Encoding
  /** Septets or 16-bit units of the whole text, without headers. */
  readonly units: number
  /** At least 1: an empty text takes one SMS. */
  readonly segments: number
  /** Free units in the last segment. */
  readonly remaining: number
}

/** Precedes a letter of the extension table. */
const escape = 0x1b

/** The index is the code. The escape has an index but is not a letter. */
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

/** Letters that are encoded as the escape and a second septet. */
const extended: ReadonlyArray<readonly [letter: string, code: number]> = [
  ["\f", 0x0a],
  ["^", 0x14],
  ["{", 0x28],
  ["}", 0x29],
  ["\\", 0x2f],
  ["[", 0x3c],
  ["~", 0x3d],
  ["]", 0x3e],
  ["|", 0x40],
  ["€", 0x65],
]

/** The codes of all letters. The code of an extended letter has the escape in its upper byte. */
const codes: ReadonlyMap<string, number> = new Map([
  ...Array.from(basic, (letter, code) => [letter, code] as const).filter(
    ([, code]) => code !== escape,
  ),
  ...extended.map(([letter, code]) => [letter, (escape << 8) | code] as const),
])

/** The letters of a text that GSM-7 does not contain, each once. A lone surrogate counts as a letter. */
export const lettersBeyondGsm7 = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text).filter((letter) => !codes.has(letter))),
]

/** Number of septets of a text; `undefined` if the alphabet does not contain all of its letters. */
const septets = (text: string): number | undefined => {
  let units = 0
  for (const letter of text) {
    const code = codes.get(letter)
    if (code === undefined) return undefined
    units += code > 0xff ? 2 : 1
  }
  return units
}

/**
 * The text in GSM-7, one septet per byte, not packed; `undefined` for other letters. Encode segments with the encoding
 * of the whole text: `encodingOf` may give another encoding for a segment alone.
 */
export const encodeGsm7 = (text: string): Uint8Array | undefined => {
  const units = septets(text)
  if (units === undefined) return undefined
  const bytes = new Uint8Array(units)
  let at = 0
  for (const letter of text) {
    const code = codes.get(letter) ?? 0
    if (code > 0xff) bytes[at++] = escape
    bytes[at++] = code & 0xff
  }
  return bytes
}

export const encodingOf = (text: string): Encoding =>
  septets(text) === undefined ? "ucs2" : "gsm7"

/** Cuts before the letter that no longer fits: extended letters and surrogate pairs stay whole. */
const layout = (text: string): Count & { readonly cuts: ReadonlyArray<number> } => {
  const gsm7 = septets(text)
  const encoding = gsm7 === undefined ? "ucs2" : "gsm7"
  const units = gsm7 ?? text.length
  const { part, single } = capacity[encoding]
  if (units <= single) {
    return { encoding, units, segments: 1, remaining: single - units, cuts: [] }
  }
  const cuts: Array<number> = []
  let at = 0
  let used = 0
  for (const letter of text) {
    const size = encoding === "ucs2" ? letter.length : (codes.get(letter) ?? 0) > 0xff ? 2 : 1
    if (used + size > part) {
      cuts.push(at)
      used = 0
    }
    used += size
    at += letter.length
  }
  return { encoding, units, segments: cuts.length + 1, remaining: part - used, cuts }
}

export const count = (text: string): Count => {
  const { cuts: _, ...counted } = layout(text)
  return counted
}

/** The text of each segment, in order, in the encoding of the whole text. */
export const split = (text: string): ReadonlyArray<string> =>
  [0, ...layout(text).cuts].map((start, index, starts) => text.slice(start, starts[index + 1]))
