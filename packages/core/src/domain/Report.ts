/**
 * What came in on a message, kept as it was received: who disputes a price can see what was said, by whom
 * and when. Numbers, codes and credentials are hidden in it.
 */
import * as Redacted from "effect/Redacted"
import { errorText, gatewayIdText, type ReportStatus } from "./GatewayOutcome.ts"
import type { OrganizationId } from "./Ids.ts"
import * as Masking from "./Masking.ts"
import type { Message } from "./Message.ts"

export interface Report {
  readonly organization: OrganizationId
  /** The message's number in the organization's log. */
  readonly messageSequence: number
  /** Among the reports on the message; 1 was taken in first. */
  readonly position: number
  /** Epoch milliseconds, by the store's clock; when it came, which may be before its message was known. */
  readonly receivedAt: number
  /** Who has reported. */
  readonly gateway: string
  /** The gateway's own name for the message, as far as it was known then. */
  readonly gatewayId: string | null
  readonly status: ReportStatus
  /** The vendor's words, at most 300 characters. */
  readonly detail: string | null
  /** All that came, masked, at most 2,000 characters; `null` where the adapter does not tell. */
  readonly raw: string | null
}

/** How a report came in. */
export interface ReportSource {
  /** Who has reported; whoever took the message when `undefined`. */
  readonly gateway: string | undefined
  /** What the message is called there; what the message knows of it when `null`. */
  readonly gatewayId: string | null
  /** Masked already. */
  readonly raw: string | null
  /** Epoch milliseconds, where it came before its message was known. */
  readonly receivedAt: number | undefined
}

/** Most reports on one message that are kept; the first of them. */
export const maxKept = 20

/** How far the reports on one message are counted. */
export const maxCounted = 1_000

/** What is kept of what came, as text; `undefined` where nothing is known of it. */
export const rawText = (raw: Redacted.Redacted<string> | undefined): string | null => {
  const text = raw === undefined ? "" : Redacted.value(raw)
  return text === "" ? null : Masking.report(text)
}

/** The message with one report more. Beyond `maxCounted`, a vendor that repeats itself changes nothing. */
export const count = (message: Message): Message =>
  message.reports < maxCounted ? { ...message, reports: message.reports + 1 } : message

/** The report to keep on a message as it was before; `undefined` when there are enough. */
export const keep = (
  message: Message,
  said: { readonly status: ReportStatus; readonly detail: string | null },
  source: ReportSource,
  now: number,
): Report | undefined => {
  if (message.reports >= maxKept) return undefined
  const { gateway = message.gateway, gatewayId, raw, receivedAt = now } = source
  return {
    organization: message.organization,
    messageSequence: message.sequence,
    position: message.reports + 1,
    receivedAt,
    gateway,
    gatewayId: gatewayId === null ? message.gatewayId : gatewayIdText(gatewayId),
    status: said.status,
    detail: said.detail === null ? null : errorText(Masking.words(said.detail)),
    raw,
  }
}
