/** Delivery receipts: messages from the centre with the status of a sent message. */
import type { Evidence } from "@countersign/core/domain/messages/Evidence"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import { receiptFields, receiptState, withoutText } from "../evidence.ts"
import { tags as partTags } from "./submits.ts"
import { latin1, type ShortMessage, type Tlv } from "./pdu.ts"
import type { SmppOptions } from "../../VendorOptions.ts"

export interface Receipt {
  /** The part's id in the receipt's format. */
  readonly id: string
  readonly status: ReportStatus
  /** Example: `UNDELIV, error 011`. Contains nothing of the quoted text. */
  readonly detail: string
  readonly evidence: Evidence
}

/** Some centres write ids in hexadecimal in answers and in decimal in receipts, or the reverse. */
type Radix = NonNullable<SmppOptions["ids"]>["answers"]

export const tags = {
  receiptedMessageId: 0x001e,
  networkErrorCode: 0x0423,
  messageState: 0x0427,
} as const

/** States by number, starting at 1. A state without information leaves the message unchanged. */
const states: ReadonlyArray<readonly [name: string, status: ReportStatus]> = [
  ["ENROUTE", "accepted"],
  ["DELIVRD", "delivered"],
  ["EXPIRED", "undelivered"],
  ["DELETED", "undelivered"],
  ["UNDELIV", "undelivered"],
  ["ACCEPTD", "accepted"],
  ["UNKNOWN", "accepted"],
  ["REJECTD", "rejected"],
]

const typeMask = 0x3c
const finalReceipt = 0x04
const intermediateReceipt = 0x20

const tlv = (tlvs: ReadonlyArray<Tlv>, tag: number) => tlvs.find((one) => one.tag === tag)?.value

const stateOf = (tlvs: ReadonlyArray<Tlv>, text: string) => {
  const known = states[(tlv(tlvs, tags.messageState)?.[0] ?? 0) - 1]
  // If the number is one of the centre's own, the standard word in the text decides.
  if (known !== undefined) return known
  const word = /(?:^|\s)stat:([A-Za-z]+)/i.exec(text)?.[1]?.toUpperCase()
  return states.find(([name]) => name === word)
}

const errorOf = (tlvs: ReadonlyArray<Tlv>, text: string): string | undefined => {
  const value = tlv(tlvs, tags.networkErrorCode)
  if (value?.byteLength === 3) {
    return String(new DataView(value.buffer, value.byteOffset).getUint16(1))
  }
  return /(?:^|\s)err:([0-9A-Za-z]{1,8})/i.exec(text)?.[1]
}

/** Reads a receipt; `undefined` if the message is not a readable receipt. */
export const receiptOf = (pdu: ShortMessage): Receipt | undefined => {
  const type = pdu.esmClass & typeMask
  const receipted = tlv(pdu.tlvs, tags.receiptedMessageId)
  const named = receipted && latin1(receipted).split("\0", 1).join("")
  if (type !== finalReceipt && type !== intermediateReceipt && named === undefined) return undefined
  const payload = tlv(pdu.tlvs, partTags.messagePayload)
  // What is quoted may look like a field.
  const text = withoutText(
    latin1(pdu.message.byteLength > 0 ? pdu.message : (payload ?? pdu.message)),
  )
  const id = named || /(?:^|\s)id:([^\s]+)/i.exec(text)?.[1]
  const state = stateOf(pdu.tlvs, text)
  if (id === undefined || state === undefined) return undefined
  const [name, status] = state
  return {
    id,
    status,
    detail: receiptState(name, errorOf(pdu.tlvs, text)),
    evidence: {
      ...receiptFields(text),
      receiptedMessageId: named,
      networkErrorCode: errorOf(pdu.tlvs, ""),
      messageState: tlv(pdu.tlvs, tags.messageState)?.[0],
    },
  }
}

const decimal = /^[0-9]{1,64}$/
const hexadecimal = /^[0-9a-f]{1,64}$/i

/** The canonical form of an id for answers and receipts: numbers in decimal, text unchanged. */
export const canonicalId = (id: string, radix: Radix): string => {
  if (radix === "decimal" && decimal.test(id)) return BigInt(id).toString()
  return radix === "hexadecimal" && hexadecimal.test(id) ? BigInt(`0x${id}`).toString() : id
}
