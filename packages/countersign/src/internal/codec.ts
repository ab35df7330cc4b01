/**
 * Converts the engine's values into plain values.
 */
import type { Entry } from "@countersign/core/domain/Account"
import type { ApiKeySummary } from "@countersign/core/services/ApiKeys"
import type { Event as EngineEvent } from "@countersign/core/domain/Event"
import * as Message from "@countersign/core/domain/Message"
import * as Money from "@countersign/core/domain/Money"
import type * as CoreOrganization from "@countersign/core/domain/Organization"
import type { Preview } from "@countersign/core/decide/Pricing"
import type { Report } from "@countersign/core/domain/Report"
import type { OrganizationSummary } from "@countersign/core/ports/Store"
import type { Finding } from "@countersign/core/domain/PrefixStats"
import { plainLimits } from "./limits.ts"
import type { Event } from "./eventTypes.ts"
import type * as Types from "./types.ts"

export const date = (millis: number): Date => new Date(millis)

export const dateOrNull = (millis: number | null): Date | null =>
  millis === null ? null : date(millis)

export const logEntry = (message: Message.Message): Types.LogEntry => ({
  id: Message.logId(message),
  sequence: message.sequence,
  to: message.phoneNumber,
  text: message.text,
  channel: message.channel,
  sender: message.sender,
  requestId: message.requestId,
  status: message.status,
  price: Money.format(Message.price(message)),
  gateway: message.gateway,
  gatewayId: message.gatewayId,
  error: message.error,
  createdAt: date(message.createdAt),
})

export const messageReport = (report: Report): Types.MessageReport => ({
  position: report.position,
  receivedAt: date(report.receivedAt),
  gateway: report.gateway,
  gatewayId: report.gatewayId,
  status: report.status,
  detail: report.detail,
  raw: report.raw,
})

export const ledgerEntry = (entry: Entry): Types.LedgerEntry => ({
  sequence: entry.sequence,
  kind: entry.kind,
  amount: Money.format(entry.amount),
  balance: Money.format(entry.balance),
  held: Money.format(entry.held),
  messageSequence: entry.messageSequence,
  note: entry.note,
  paymentId: entry.paymentId,
  at: date(entry.at),
})

export const apiKey = (key: ApiKeySummary): Types.ApiKey => ({
  id: key.id,
  name: key.name,
  environment: key.environment,
  createdAt: date(key.createdAt),
  revokedAt: dateOrNull(key.revokedAt),
})

export const organization = ({
  id,
  name,
  settings: { allowList, isSuspended, limits },
}: CoreOrganization.Organization): Types.Organization => ({
  id,
  name,
  allowList,
  limits: plainLimits(limits),
  isSuspended,
})

export const organizationSummary = (summary: OrganizationSummary): Types.OrganizationSummary => ({
  ...summary,
  balance: Money.format(summary.balance),
  held: Money.format(summary.held),
})

export const preview = ({ currency, price, segments }: Preview): Types.MessagePreview => ({
  segments: segments ?? null,
  price: Money.format(price),
  currency,
})

export const finding = (found: Finding): Types.FraudFinding => ({
  organization: found.organization,
  prefix: found.prefix,
  reason: found.reason,
  action: found.action,
  at: date(found.at),
  sent: found.sent,
  verified: found.verified,
})

/** Converts an event of the engine into a plain value. */
export const eventOf = (event: EngineEvent): Event => {
  if (event._tag === "GatewayHealthChanged") {
    const { gateway, reason, state } = event
    const at = date(event.at)
    return {
      type: "gateway_health_changed",
      at,
      gateway,
      state,
      ...(reason === undefined ? undefined : { reason }),
    }
  }
  const about = { organization: event.organization, at: date(event.at) }
  switch (event._tag) {
    case "VerificationSent":
      return {
        ...about,
        type: "verification_sent",
        requestId: event.requestId,
        phoneNumber: event.phoneNumber,
        channel: event.channel,
      }
    case "Verified":
      return {
        ...about,
        type: "verified",
        requestId: event.requestId,
        phoneNumber: event.phoneNumber,
      }
    case "Failed":
      return {
        ...about,
        type: "verification_failed",
        requestId: event.requestId,
        phoneNumber: event.phoneNumber,
        reason: event.reason,
      }
    case "MessageSettled":
      return {
        ...about,
        type: "message_settled",
        messageSequence: event.messageSequence,
        channel: event.channel,
        status: event.status,
      }
    case "Refunded":
      return {
        ...about,
        type: "refunded",
        messageSequence: event.messageSequence,
        amount: Money.format(event.amount),
      }
    case "FraudSuspected":
      return { ...finding(event), type: "fraud_suspected" }
  }
}
