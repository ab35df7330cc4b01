/** The operations of the admin API, by the groups of their endpoints. */
import type { Operation, Operations } from "@countersign/core/api/Operation"
import { account, ledger } from "@countersign/core/api/account"
import { alerts } from "@countersign/core/api/alerts"
import { attention } from "@countersign/core/api/attention"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { batches, batchRequests } from "@countersign/core/api/batches"
import { audit } from "@countersign/core/api/audit"
import { eventLog } from "@countersign/core/api/events"
import { fraud } from "@countersign/core/api/fraud"
import { gatewayActivity, gatewayTests } from "@countersign/core/api/gateways"
import { gateways } from "@countersign/core/api/installation"
import { messageHistory, messages } from "@countersign/core/api/messages"
import { optOuts } from "@countersign/core/api/optOuts"
import { queuedMessages } from "@countersign/core/api/outbox"
import { organizations } from "@countersign/core/api/organizations"
import { privacy } from "@countersign/core/api/privacy"
import { refusals } from "@countersign/core/api/refusals"
import { reports } from "@countersign/core/api/reports"
import { searches } from "@countersign/core/api/search"
import { brands } from "@countersign/core/api/senders"
import { totals } from "@countersign/core/api/totals"
import { verifications } from "@countersign/core/api/verifications"
import { webhooks } from "@countersign/core/api/webhooks"

const group = <R extends Operations>(title: string, description: string, rows: R) => ({
  title,
  description,
  rows,
})

export const groups = {
  host: group("Host", "The gateways of the host.", {
    ...gateways,
    ...gatewayActivity,
    ...reports,
  }),
  organizations: group("Organizations", "Organizations and their settings.", organizations),
  organization: group("Organization", "The settings of an organization.", organizations),
  apiKeys: group("API keys", "Keys of the HTTP interface.", apiKeys),
  brands: group("Senders", "The senders of messages.", brands),
  account: group("Balance", "Money.", { ...account, ...ledger }),
  messages: group("Messages", "The log of messages.", {
    ...messages,
    ...messageHistory,
    ...gatewayTests,
    ...queuedMessages,
  }),
  optOuts: group("Opt-outs", "The numbers that get no promotional messages.", optOuts),
  batches: group("Batches", "Messages of one text to many recipients.", {
    ...batches,
    ...batchRequests,
  }),
  verifications: group("Verifications", "One-time codes.", verifications),
  fraud: group("Fraud", "Suspicious prefixes of phone numbers.", fraud),
  events: group("Events", "The event log.", eventLog),
  webhooks: group("Webhooks", "Addresses that receive events.", webhooks),
  records: group(
    "Records",
    "What is wrong, totals, alerts, the audit, refused calls and the search.",
    {
      attention: attention.read,
      totals: totals.read,
      audit: audit.list,
      alerts: alerts.list,
      ...refusals,
      ...searches,
    },
  ),
  privacy: group("Privacy", "The data of a phone number.", privacy),
}

/** The operations with an endpoint, by the ids of their endpoints. */
export const rows: ReadonlyMap<string, Operation> = new Map(
  Object.values(groups).flatMap((group) =>
    Object.values<Operation>(group.rows).flatMap((row) => {
      const { admin } = row
      return admin === undefined ? [] : [[admin.id, row] as const]
    }),
  ),
)
