/**
 * How many SMS a text takes: its encoding, and where it is cut.
 *
 * A text that the default alphabet of GSM 03.38 can spell travels in septets, every other one as UCS-2.
 * What does not fit into one SMS is cut into segments, each a little shorter for the header that joins
 * them again.
 */

export type Encoding = "gsm7" | "ucs2"

/** Units of an SMS: septets of GSM-7, 16-bit units of UCS-2. */
export const capacity = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
} as const satisfies Record<Encoding, { readonly single: number; readonly part: number }>

/** What a text takes. */
export interface Count {
  readonly encoding: Encoding
  /** Septets or 16-bit units of the whole text, without headers. */
  readonly units: number
  /** At least 1: an SMS without text is one. */
  readonly segments: number
  /** Units that are free in the last segment, as long as the text needs no more segments than it does. */
  readonly remaining: number
}

/** Announces a letter of the extension table. */
const escape = 0x1b

/** Position is code. The escape has a place among the letters and is none. */
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

/** Written as the escape and a second septet. */
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

/** The one table of the alphabet. The code of an extended letter has the escape in its upper byte. */
const codes: ReadonlyMap<string, number> = new Map([
  ...Array.from(basic, (letter, code) => [letter, code] as const).filter(
    ([, code]) => code !== escape,
  ),
  ...extended.map(([letter, code]) => [letter, (escape << 8) | code] as const),
])

/** The letters of a text that keep it out of GSM-7, each once. A lone surrogate counts as a letter. */
export const lettersBeyondGsm7 = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text).filter((letter) => !codes.has(letter))),
]

/** Septets of a text, or `undefined` where the alphabet cannot spell it. */
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
 * The text in GSM-7, a septet to a byte, not packed; `undefined` when a letter is missing in the alphabet.
 * The parts of a text that is cut have to be encoded as the whole is: what `encodingOf` says of a part
 * alone may be another encoding.
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

interface Layout {
  readonly encoding: Encoding
  readonly units: number
  /** Where each segment but the first begins, in UTF-16 units of the text. */
  readonly cuts: ReadonlyArray<number>
  /** Units of the last segment. */
  readonly last: number
}

/** Cuts before the letter that no longer fits: neither an extended letter nor a surrogate pair is torn. */
const layout = (text: string): Layout => {
  const gsm7 = septets(text)
  const encoding = gsm7 === undefined ? "ucs2" : "gsm7"
  const units = gsm7 ?? text.length
  const { part, single } = capacity[encoding]
  if (units <= single) return { encoding, units, cuts: [], last: units }
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
  return { encoding, units, cuts, last: used }
}

/** Counts the segments of a text. */
export const count = (text: string): Count => {
  const { cuts, encoding, last, units } = layout(text)
  const { part, single } = capacity[encoding]
  return {
    encoding,
    units,
    segments: cuts.length + 1,
    remaining: (cuts.length === 0 ? single : part) - last,
  }
}

/** The text of each segment, in order; together they are the text. All are encoded as the whole is. */
export const split = (text: string): ReadonlyArray<string> => {
  const { cuts } = layout(text)
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index]))
}
