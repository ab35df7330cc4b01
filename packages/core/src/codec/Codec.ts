/**
 * Converts records of core to the plain data of hosts, which contains no type of Effect: amounts are decimals, and times are
 * `Date`s.
 */
import * as Engine from "../domain/events/Event.ts"
import { eventTable } from "../domain/events/EventTable.ts"
import * as Message from "../domain/messages/Message.ts"
import * as Money from "../domain/values/Money.ts"
import type { Report } from "../domain/messages/MessageReport.ts"
import type { FoundVerification, ListedVerification } from "../api/SearchCalls.ts"
import type * as Timeline from "../domain/events/Timeline.ts"
import type * as CoreHistory from "../services/History.ts"
import type * as History from "./HistoryData.ts"
import { showing } from "../api/Operation.ts"
import { refusal } from "../api/refusals.ts"
import type { PersonalRecord } from "../services/Privacy.ts"
import * as Schema from "effect/Schema"
import type { Event, LoggedEvent, OrganizationEvent } from "./EventData.ts"
import type * as Types from "./Data.ts"
import type * as PrivacyData from "./PrivacyData.ts"
import type * as Codes from "./VerificationData.ts"

export const date = (millis: number): Date => new Date(millis)

export const dateOrNull = (millis: number | null): Date | null =>
  millis === null ? null : date(millis)

export const logEntry = (message: Message.Message): Types.Message => ({
  id: Message.logId(message),
  sequence: message.sequence,
  phoneNumber: message.phoneNumber,
  text: message.text,
  channel: message.channel,
  sender: message.sender,
  requestId: message.requestId,
  status: message.status,
  price: Money.format(Message.price(message)),
  gateway: message.gateway,
  gatewayId: message.gatewayId,
  error: message.error,
  failureReason: message.failureReason,
  vendorCode: message.vendorCode,
  createdAt: date(message.createdAt),
})

export const verification = ({
  failure: _,
  ...found
}: FoundVerification): Codes.FoundVerification => ({
  ...found,
  createdAt: date(found.createdAt),
  expiresAt: date(found.expiresAt),
  verifiedAt: dateOrNull(found.verifiedAt),
  consumedAt: dateOrNull(found.consumedAt),
  resendAt: dateOrNull(found.resendAt),
  metadata: metadata(found.metadata),
})

export const listedVerification = ({
  delivery,
  ...found
}: ListedVerification): Codes.FoundListed => ({ ...verification(found), delivery })

export const messageReport = (report: Report): Types.MessageReport => ({
  position: report.position,
  receivedAt: date(report.receivedAt),
  gateway: report.gateway,
  gatewayId: report.gatewayId,
  status: report.status,
  detail: report.detail,
  evidence: report.evidence,
})

const timelineEntry = (entry: Timeline.TimelineEntry): History.TimelineEntry => {
  const at = dateOrNull(entry.at)
  switch (entry.kind) {
    case "requested":
      return { ...entry, at, expiresAt: date(entry.expiresAt) }
    case "held":
    case "captured":
    case "refunded":
      return { ...entry, at, amount: Money.format(entry.amount) }
    default:
      return { ...entry, at }
  }
}

export const messageHistory = (found: CoreHistory.MessageHistory): History.MessageHistory => ({
  message: logEntry(found.message),
  reports: found.reports.map(messageReport),
  timeline: found.timeline.map(timelineEntry),
})

export const verificationHistory = (
  found: CoreHistory.VerificationHistory,
): History.FoundHistory => ({
  verification: verification(found.verification),
  messages: found.messages.map(logEntry),
  timeline: found.timeline.map(timelineEntry),
})

/** The host's JSON object; the engine stores it as text. */
export const metadata = (text: string | null): Codes.Metadata | null =>
  text === null ? null : decodeMetadata(text)

const decodeMetadata = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
)

const organizationEvent = (event: Engine.OrganizationEvent<string>): OrganizationEvent => {
  const fields: ReadonlyArray<ReadonlyArray<unknown>> = [
    ...Engine.plainFields(event),
    ["type", eventTable[event._tag].type],
    ["at", date(event.at)],
  ]
  return Object.fromEntries(fields)
}

export const eventOf = (event: Engine.Event): Event => {
  if (event._tag !== "GatewayHealthChanged") return organizationEvent(event)
  const { _tag, ...changed } = event
  return { ...changed, type: "gateway_health_changed", at: date(event.at) }
}

export const loggedEvent = (event: Engine.LoggedEvent): LoggedEvent => ({
  ...organizationEvent(event),
  sequence: event.sequence,
})

const showRefusal = showing({ output: refusal })

export const personalRecord = (record: PersonalRecord): PrivacyData.PersonalRecord => {
  switch (record._tag) {
    case "Message": {
      const reports = record.reports.map(messageReport)
      return { type: "message", ...logEntry(record.message), reports }
    }
    case "Verification": {
      const { verification } = record
      return {
        type: "verification",
        requestId: verification.requestId,
        phoneNumber: verification.phoneNumber,
        channel: verification.channel,
        purpose: verification.purpose,
        metadata: metadata(verification.metadata),
        status: verification.status,
        attemptsRemaining: verification.attemptsRemaining,
        resends: verification.resends,
        messageSequences: [...verification.earlierMessages, verification.messageSequence],
        prefix: verification.prefix,
        checks: verification.checks.map(date),
        createdAt: date(verification.createdAt),
        sentAt: date(verification.sentAt),
        expiresAt: date(verification.expiresAt),
        verifiedAt: dateOrNull(verification.verifiedAt),
        consumedAt: dateOrNull(verification.consumedAt),
      }
    }
    case "Event":
      return { type: "event", event: loggedEvent(record.event) }
    case "Refusal":
      return { type: "refusal", ...showRefusal(record.refusal) }
    case "Answer":
      return { type: "answer", ...record.answer, expiresAt: date(record.answer.expiresAt) }
    case "Limits": {
      const { clients, isErased, requests, wrongCodes, wrongCodesSinceSuccess } = record
      return {
        type: "limits",
        isErased,
        requests: requests.map(date),
        wrongCodes: wrongCodes.map(date),
        wrongCodesSinceSuccess,
        clients: clients.map(({ digest, verifiedAt }) => ({
          digest,
          verifiedAt: date(verifiedAt),
        })),
      }
    }
  }
}
