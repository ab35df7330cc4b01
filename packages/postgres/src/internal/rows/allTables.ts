/** The lists of tables. */
import { alerts } from "./alertRows.ts"
import { batches, batchTotals } from "./batchTables.ts"
import { counters, gatewayPeriods, webhookAttempts } from "./counterTables.ts"
import { events } from "./eventRows.ts"
import { optOuts } from "./optOutRows.ts"
import { outbox } from "./outboxRows.ts"
import { audit, firstAudit, refusals, totals } from "./recordRows.ts"
import * as Tables from "./tables.ts"
import { initialWebhookProgress, webhookProgress, webhooks } from "./webhookRows.ts"

const ofMessages = [Tables.openMessages, Tables.gatewayIds, Tables.entries, Tables.reports]

const others = [Tables.idempotencyKeys, totals, events, webhooks]

const beforeMessages = [
  Tables.accounts,
  Tables.recipients,
  Tables.clients,
  Tables.erasedRecipients,
  Tables.verifications,
]

/** The tables of the first migration. */
export const initial = [
  Tables.initialBrands,
  Tables.initialApiKeys,
  ...beforeMessages,
  Tables.firstMessages,
  ...ofMessages,
  Tables.initialPrefixStats,
  Tables.initialFindings,
  ...others,
  initialWebhookProgress,
  firstAudit,
  refusals,
]

const later = [
  outbox,
  optOuts,
  batches,
  batchTotals,
  webhookProgress,
  webhookAttempts,
  counters,
  gatewayPeriods,
  alerts,
]

/** All tables of rows that batches send. */
export const all = [
  Tables.brands,
  Tables.apiKeys,
  ...beforeMessages,
  Tables.messages,
  ...ofMessages,
  Tables.prefixStats,
  Tables.findings,
  ...others,
  audit,
  refusals,
  ...later,
]
