/**
 * Parses the answers and the delivery reports of Kannel's smsbox.
 */
import type { RejectionReason, ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import { errorText } from "@countersign/core/domain/GatewayOutcome"
import { verdictOf } from "./smpp/statuses.ts"

/** Prefixes of answers that accept a message. */
const taken = ["0: Accepted for delivery", "3: Queued for later delivery"]

/** Whether Kannel accepted the message. */
export const isTaken = (text: string): boolean =>
  taken.some((beginning) => text.startsWith(beginning))

/** Prefixes of rejections, with their reasons. */
const refusals: ReadonlyArray<readonly [beginning: string, reason: RejectionReason]> = [
  ["Authorization failed for sendsms", "account"],
  ["Not routable. Do not try again.", "account"],
  ["Empty receiver number not allowed, rejected", "recipient"],
  ["Missing receiver", "recipient"],
  ["Number(s) has/have been denied by white- and/or black-lists.", "recipient"],
  ["Sender missing and no global set, rejected", "sender"],
  ["Charset or body misformed, rejected", "content"],
]

/** Prefix of an answer that asks for a retry. */
const temporal = "Temporal failure, try again later."

/** Returns the meaning of a rejection; `undefined` for an unknown text. */
export const refusalOf = (text: string): RejectionReason | "throttled" | undefined => {
  if (text.startsWith(temporal)) return "throttled"
  const known = refusals.find(([beginning]) => text.startsWith(beginning))
  if (known !== undefined) return known[1]
  // `DLR-URL field misformed, rejected` and similar texts: the configuration is wrong.
  return /^[A-Z][\w-]*(?: or body)? field misformed(?: or too long)?, rejected/.test(text) ||
    text.startsWith("Invalid content-type") ||
    text.startsWith("Unsupported content-type")
    ? "account"
    : undefined
}

/** The bits of `%d`. */
const bits = { delivered: 1, undelivered: 2, buffered: 4, submitted: 8, refused: 16, unknown: 64 }

/** Returns the status in `%d`; `undefined` if it is not a number, `null` if it has no meaning. */
export const statusOf = (type: string | null): ReportStatus | null | undefined => {
  if (type === null || !/^\d{1,3}$/.test(type)) return undefined
  const mask = Number(type)
  const has = (bit: number): boolean => (mask & bit) !== 0
  if (has(bits.delivered)) return "delivered"
  // The centre does not know the state.
  if (has(bits.unknown)) return "accepted"
  if (has(bits.undelivered)) return "undelivered"
  if (has(bits.refused)) return "rejected"
  return has(bits.buffered) || has(bits.submitted) ? "accepted" : null
}

export interface ReceiptDetail {
  readonly detail: string | null
  readonly reason?: RejectionReason | undefined
}

const nack = /^NACK\/(0x[0-9a-fA-F]{1,8})(?:\/([\w -]{0,80}))?$/
const state = /(?:^|\s)stat:([A-Za-z]{1,16})/
const error = /(?:^|\s)err:([0-9A-Za-z]{1,8})/

/**
 * Extracts the storable part of `%A`: the status with which the centre rejected the message, or the state and
 * the error of its receipt. Never the text that the receipt quotes.
 */
export const receiptDetail = (answer: string | null): ReceiptDetail => {
  const [, status, words] = nack.exec(answer ?? "") ?? []
  if (status !== undefined) {
    const verdict = verdictOf(Number(status), undefined)
    const detail = errorText(words === undefined || words === "" ? status : `${status} ${words}`)
    return verdict === "throttled" || verdict === "unknown"
      ? { detail }
      : { detail, reason: verdict }
  }
  const receipt = (answer ?? "").split(/\stext:/i, 1).join("")
  const word = state.exec(receipt)?.[1]
  if (word === undefined) return { detail: null }
  const code = error.exec(receipt)?.[1]
  const isError = code !== undefined && !/^0+$/.test(code)
  return { detail: isError ? `${word}, error ${code}` : word }
}
