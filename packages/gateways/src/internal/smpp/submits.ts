/** Converts a message of the engine to the messages that SMPP submits. */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Segments from "@countersign/core/text/Segments"
import * as Redacted from "effect/Redacted"
import type { SmppOptions } from "../../VendorOptions.ts"
import type { Address, ShortMessage } from "./pdu.ts"

/** The fields that differ between parts. */
type Part = Pick<ShortMessage, "esmClass" | "dataCoding" | "message" | "tlvs">

/** Tags of the fields for joining. */
export const tags = {
  messagePayload: 0x0424,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarSequence: 0x020f,
} as const

/** `esm_class`: the text begins with a user data header. */
const udhIndicator = 0x40

/** The number of parts is one octet. */
const maxParts = 255

const ucs2 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "utf16le").swap16())

/**
 * Splits a text, in GSM-7 with one septet per octet if possible, otherwise in UCS-2. Returns `undefined` if there are
 * too many parts. The phone joins the parts by a header in each part. With `udh`, the text begins with the header. With
 * `sar`, the centre makes it from fields beside each part. With `payload`, the centre receives the whole text.
 */
const partsOf = (
  text: string,
  joining: SmppOptions["joining"],
  reference: number,
): { readonly segments: number; readonly parts: ReadonlyArray<Part> } | undefined => {
  const encoding = Segments.encodingOf(text)
  const dataCoding = encoding === "gsm7" ? 0 : 8
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
      return { ...plain, esmClass: udhIndicator, message: Uint8Array.from([...header, ...message]) }
    }),
  }
}

const international = { ton: 1, npi: 1 } as const
const national = { ton: 2, npi: 1 } as const
const networkSpecific = { ton: 3, npi: 0 } as const
const alphanumeric = { ton: 5, npi: 0 } as const

/** Every number in E.164 form is longer. */
const longestShortCode = 6

/** Returns a sender's address: a name, a short code, a national number, or an international number. */
const addressOf = (sender: string, shortCode: SmppOptions["shortCode"]): Address => {
  const digits = sender.replace(/^\+/, "")
  if (!/^\d+$/.test(digits)) return { ...alphanumeric, address: sender }
  if (digits.length <= longestShortCode) {
    return { ...(shortCode ?? networkSpecific), address: digits }
  }
  return { ...(digits.startsWith("0") ? national : international), address: digits }
}

const secondsIn = { hour: 3_600, minute: 60 } as const

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Formats a relative time: `000000hhmmss000R`. */
const validityOf = (seconds: number | undefined): string => {
  if (seconds === undefined) return ""
  const hours = Math.floor(seconds / secondsIn.hour)
  const minutes = Math.floor((seconds % secondsIn.hour) / secondsIn.minute)
  return `000000${twoDigits(hours)}${twoDigits(minutes)}${twoDigits(seconds % secondsIn.minute)}000R`
}

/**
 * Makes the messages that carry the text, with the number of SMS for it; `undefined` if there are too many
 * parts. `reference` distinguishes texts to the same phone; 0 to 255.
 */
export const submitsOf = (
  options: Omit<SmppOptions, "password" | "validity"> & { readonly validity: number | undefined },
  { sender, text, phoneNumber }: GatewayMessage,
  reference: number,
): { segments: number; messages: ReadonlyArray<ShortMessage> } | undefined => {
  const made = partsOf(Redacted.value(text), options.joining, reference)
  if (made === undefined) return undefined
  const { receipts = "every part" } = options
  return {
    segments: made.segments,
    messages: made.parts.map((part, index) => ({
      command: "submit_sm",
      serviceType: options.serviceType ?? "",
      source: addressOf(options.from ?? sender, options.shortCode),
      destination: { ...international, address: PhoneNumber.digits(phoneNumber) },
      protocolId: 0,
      priority: 0,
      scheduleAt: "",
      validity: validityOf(options.validity),
      registeredDelivery:
        receipts === "every part" || (receipts === "first part" && index === 0) ? 1 : 0,
      replaceIfPresent: 0,
      defaultMessageId: 0,
      ...part,
    })),
  }
}
