/** The delivery reports on a message, kept as evidence in disputes about its price. */
import { errorText, gatewayIdText, type ReportStatus } from "./GatewayOutcome.ts"
import type { OrganizationId } from "../values/Ids.ts"
import * as Masking from "../values/Masking.ts"
import { isErased, type Message } from "./Message.ts"

export interface Report {
  readonly organization: OrganizationId
  readonly messageSequence: number
  /** Position among the reports on the message; 1 was recorded first. */
  readonly position: number
  /** When the report was received, by the store's clock; maybe before its message was known. */
  readonly receivedAt: number
  readonly gateway: string
  /** The gateway's id of the message, if it was known at the time. */
  readonly gatewayId: string | null
  readonly status: ReportStatus
  /** The vendor's own text, at most 300 characters. */
  readonly detail: string | null
  /** The documented fields of the report as JSON; `null` if the adapter names none. See `Evidence`. */
  readonly evidence: string | null
}

/** A report on an unknown message, kept until the message becomes known. */
export interface KeptReport extends Pick<
  Report,
  "gateway" | "status" | "detail" | "evidence" | "receivedAt"
> {
  readonly gatewayId: string
}

/** Where a kept report stands. The id is as the store has it, which may be encrypted. */
export type ReportPlace = Pick<KeptReport, "gateway" | "gatewayId" | "receivedAt" | "status">

export interface ReportSource {
  /** The reporting gateway. `undefined`: the gateway that accepted the message. */
  readonly gateway: string | undefined
  /** The gateway's id of the message. `null`: the id that the message has. */
  readonly gatewayId: string | null
  /** As in `Report`. */
  readonly evidence: string | null
  /** When the report was received, if its message was not known then. `undefined`: now. */
  readonly receivedAt: number | undefined
}

/** Maximum number of reports that are kept on one message, from the first on. */
export const maxKept = 20

/** Maximum count of the reports on one message. */
export const maxCounted = 1_000

/** The message with one more report. Beyond `maxCounted`, further reports change nothing. */
export const count = (message: Message): Message =>
  message.reports < maxCounted ? { ...message, reports: message.reports + 1 } : message

/** The report to keep on a message before the report; `undefined` if the message has enough. */
export const keep = (
  message: Message,
  said: { readonly status: ReportStatus; readonly detail: string | null },
  source: ReportSource,
  now: number,
): Report | undefined => {
  if (message.reports >= maxKept) return undefined
  const { evidence, gateway = message.gateway, gatewayId, receivedAt = now } = source
  const report: Report = {
    organization: message.organization,
    messageSequence: message.sequence,
    position: message.reports + 1,
    receivedAt,
    gateway,
    gatewayId: gatewayId === null ? message.gatewayId : gatewayIdText(gatewayId),
    status: said.status,
    detail: said.detail === null ? null : errorText(Masking.words(said.detail)),
    evidence,
  }
  return isErased(message) ? erase(report) : report
}

/** The report without the vendor's words and ids, which may contain the phone number. */
export const erase = (self: Report): Report => ({
  ...self,
  gatewayId: null,
  detail: null,
  evidence: null,
})
