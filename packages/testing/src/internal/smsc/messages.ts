/**
 * Reads the text of submitted messages, and makes receipts for them.
 */
import * as Segments from "@countersign/core/text/Segments"
import type { ShortMessage } from "./pdu.ts"

/** A receipt of the centre. */
export interface Receipt {
  /** The id in the text, or in the optional field if `tlv` is set. */
  readonly id: string
  /** Example: `DELIVRD` */
  readonly state: string
  readonly error?: string
  /** Uses the optional fields of SMPP 3.4, beside a text that contradicts them. */
  readonly tlv?: boolean
  /** Writes the text into `message_payload`, and leaves `short_message` empty. */
  readonly payload?: boolean
  readonly esmClass?: number
  /** The start of the message, which centres quote. */
  readonly text?: string
}

/** A submitted message and its text. */
export interface Submitted {
  readonly pdu: ShortMessage
  readonly text: string
  /** The octets of the user data header; empty if there is no header. */
  readonly header: ReadonlyArray<number>
  readonly tlv: (tag: number) => Uint8Array | undefined
}

const messagePayload = 0x0424
const receiptedMessageId = 0x001e
const messageState = 0x0427

/** By number, starting at 1. */
const states = [
  "ENROUTE",
  "DELIVRD",
  "EXPIRED",
  "DELETED",
  "UNDELIV",
  "ACCEPTD",
  "UNKNOWN",
  "REJECTD",
]

const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"))

/** The text of a receipt, in the format of the specification's appendix. */
const receiptText = ({ error, id, state, text, tlv }: Receipt): string =>
  `id:${tlv === true ? "0" : id} sub:001 dlvrd:001 submit date:2611180900 ` +
  `done date:2611180901 stat:${tlv === true ? "ENROUTE" : state} ` +
  `err:${error ?? "000"} text:${text ?? "Your code is"}`

/** Makes a receipt, addressed from the phone to the sender. */
export const deliverOf = (receipt: Receipt): ShortMessage => {
  const text = latin1(receiptText(receipt))
  const isPayload = receipt.payload === true
  const state = Uint8Array.of(states.indexOf(receipt.state) + 1)
  return {
    command: "deliver_sm",
    serviceType: "",
    source: { ton: 1, npi: 1, address: "8801712345678" },
    destination: { ton: 5, npi: 0, address: "ACME" },
    esmClass: receipt.esmClass ?? 0x04,
    protocolId: 0,
    priority: 0,
    scheduleAt: "",
    validity: "",
    registeredDelivery: 0,
    replaceIfPresent: 0,
    dataCoding: 0,
    defaultMessageId: 0,
    message: isPayload ? new Uint8Array() : text,
    tlvs: [
      ...(isPayload ? [{ tag: messagePayload, value: text }] : []),
      ...(receipt.tlv === true
        ? [
            { tag: receiptedMessageId, value: latin1(`${receipt.id}\0`) },
            { tag: messageState, value: state },
          ]
        : []),
    ],
  }
}

/** Characters by their septets, including the escape. */
const letters = new Map(
  Array.from({ length: 0x20ad }, (_, code) => String.fromCharCode(code)).flatMap((letter) => {
    const bytes = Segments.encodeGsm7(letter)
    return bytes === undefined ? [] : [[bytes.join(), letter] as const]
  }),
)

/** Decodes septets, one per octet. */
const fromGsm7 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.byteLength; at++) {
    const code = bytes[at] === 0x1b ? [0x1b, bytes[++at]].join() : String(bytes[at])
    text += letters.get(code) ?? "?"
  }
  return text
}

const fromUcs2 = (bytes: Uint8Array): string => Buffer.from(bytes).swap16().toString("utf16le")

/** Removes the header and decodes the rest. */
export const submittedOf = (pdu: ShortMessage): Submitted => {
  const tlv = (tag: number) => pdu.tlvs.find((one) => one.tag === tag)?.value
  const bytes = tlv(messagePayload) ?? pdu.message
  const skip = (pdu.esmClass & 0x40) === 0 ? 0 : (bytes[0] ?? 0) + 1
  const text = bytes.slice(skip)
  return {
    pdu,
    tlv,
    header: Array.from(bytes.slice(0, skip)),
    text: pdu.dataCoding === 8 ? fromUcs2(text) : fromGsm7(text),
  }
}
