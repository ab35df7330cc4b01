/**
 * Splits a text into the messages that carry it.
 */
import * as Segments from "@countersign/core/text/Segments"
import type { SmppOptions } from "../../VendorOptions.ts"
import type { Tlv } from "./octets.ts"

/**
 * How the phone joins several messages into one text. `udh`: a header in each part. `sar`: fields beside each
 * part, from which the centre makes the header. `payload`: the centre receives the whole text.
 */
export type Joining = NonNullable<SmppOptions["joining"]>

/** The fields that differ between parts. */
export interface Part {
  readonly esmClass: number
  readonly dataCoding: number
  readonly message: Uint8Array
  readonly tlvs: ReadonlyArray<Tlv>
}

export interface Parts {
  /** Number of SMS for the text, independent of `joining`. */
  readonly segments: number
  readonly parts: ReadonlyArray<Part>
}

/** Tags of the fields for joining. */
export const tags = {
  messagePayload: 0x0424,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarSequence: 0x020f,
} as const

/** `esm_class`: the text begins with a user data header. */
export const udhIndicator = 0x40

/** The number of parts is one octet. */
const maxParts = 255

const codings: Record<Segments.Encoding, number> = { gsm7: 0, ucs2: 8 }

const ucs2 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index++) {
    view.setUint16(index * 2, text.charCodeAt(index))
  }
  return bytes
}

/**
 * Splits a text, in GSM-7 with one septet per octet if possible, otherwise in UCS-2. Returns `undefined` if
 * there are too many parts.
 *
 * @param reference Distinguishes texts to the same phone; 0 to 255.
 */
export const partsOf = (text: string, joining: Joining, reference: number): Parts | undefined => {
  const encoding = Segments.encodingOf(text)
  const dataCoding = codings[encoding]
  const bytesOf = (piece: string): Uint8Array =>
    encoding === "gsm7" ? (Segments.encodeGsm7(piece) ?? ucs2(piece)) : ucs2(piece)
  const plain = { esmClass: 0, dataCoding, tlvs: [] }
  const pieces = Segments.split(text)
  const segments = pieces.length
  if (segments > maxParts) return undefined
  if (segments === 1) return { segments, parts: [{ ...plain, message: bytesOf(text) }] }
  if (joining === "payload") {
    const tlvs = [{ tag: tags.messagePayload, value: bytesOf(text) }]
    return { segments, parts: [{ ...plain, message: new Uint8Array(), tlvs }] }
  }
  return {
    segments,
    parts: pieces.map((piece, index) => {
      const message = bytesOf(piece)
      if (joining === "sar") {
        const tlvs = [
          { tag: tags.sarReference, value: Uint8Array.of(0, reference) },
          { tag: tags.sarTotal, value: Uint8Array.of(segments) },
          { tag: tags.sarSequence, value: Uint8Array.of(index + 1) },
        ]
        return { ...plain, message, tlvs }
      }
      const header = [5, 0, 3, reference, segments, index + 1]
      return {
        ...plain,
        esmClass: udhIndicator,
        message: Uint8Array.from([...header, ...message]),
      }
    }),
  }
}
