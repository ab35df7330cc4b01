/**
 * A text as the messages that carry it.
 */
import * as Segments from "@countersign/core/text/Segments"
import type { Tlv } from "./octets.ts"

/**
 * How the phone learns that several messages are one text: by a header in front of each, by fields beside
 * each of which the centre makes that header, or not at all, because the centre is given the text whole.
 */
export type Joining = "udh" | "sar" | "payload"

/** What differs from one part to the next. */
export interface Part {
  readonly esmClass: number
  readonly dataCoding: number
  readonly message: Uint8Array
  readonly tlvs: ReadonlyArray<Tlv>
}

export interface Parts {
  /** How many SMS the text takes, however it is handed over. */
  readonly segments: number
  readonly parts: ReadonlyArray<Part>
}

/** Tags of the fields that join. */
export const tags = {
  messagePayload: 0x0424,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarSequence: 0x020f,
} as const

/** `esm_class`: the text begins with a user data header. */
export const udhIndicator = 0x40

/** The count of parts is an octet. */
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
 * The parts of a text, in GSM-7 with a septet to an octet where it can be spelled so, and in UCS-2
 * otherwise; `undefined` when they are more than can be counted.
 *
 * @param reference Tells the parts of one text from those of another to the same phone; 0 to 255.
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
