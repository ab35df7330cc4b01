/**
 * The sections of the store contract, in display order.
 */
import { adminSection } from "./admin.ts"
import { alertsSection } from "./alerts.ts"
import { adminSessionsSection } from "./adminSessions.ts"
import { auditSection } from "./audit.ts"
import { budgetsSection } from "./budgets.ts"
import { commandsSection } from "./commands.ts"
import { concurrencySection } from "./concurrency.ts"
import { countersSection } from "./counters.ts"
import { differentialSection } from "./differential.ts"
import { eventsSection } from "./events.ts"
import { fraudSection } from "./fraud.ts"
import { gatewayIdsSection } from "./gatewayIds.ts"
import { idempotencySection } from "./idempotency.ts"
import { keysSection } from "./keys.ts"
import { ledgerSection } from "./ledger.ts"
import { logSection } from "./log.ts"
import { malformedSection } from "./malformed.ts"
import { erasedLimitsSection, privacySection } from "./privacy.ts"
import { optOutsSection } from "./optOuts.ts"
import { refusalsSection } from "./refusals.ts"
import { requestLifeSection } from "./requestLife.ts"
import { batchesSection } from "./batches.ts"
import { outboxSection } from "./outbox.ts"
import { messageReportsSection, reportsSection } from "./reports.ts"
import { retentionSection } from "./retention.ts"
import { roundTripSection } from "./roundTrip.ts"
import { searchSection } from "./search.ts"
import type { Test } from "./support.ts"
import { stateSection } from "./state.ts"
import { timeSection, wrongClockSection } from "./time.ts"
import { tracesSection } from "./traces.ts"
import { totalsSection } from "./totals.ts"
import { webhooksSection } from "./webhooks.ts"

/** A title, and a function that registers its tests. */
export const sections: ReadonlyArray<readonly [title: string, tests: (test: Test) => void]> = [
  ["organizations", adminSection],
  ["API keys", keysSection],
  ["commands", commandsSection],
  ["requests after their code was sent", requestLifeSection],
  ["commands at once", concurrencySection],
  ["budgets of wrong codes", budgetsSection],
  ["malformed commands", malformedSection],
  ["histories", differentialSection],
  ["spending and prefix statistics", fraudSection],
  ["ledger", ledgerSection],
  ["totals", totalsSection],
  ["counters of gateways", countersSection],
  ["refusals", refusalsSection],
  ["outbox", outboxSection],
  ["opt-outs", optOutsSection],
  ["batches", batchesSection],
  ["alerts", alertsSection],
  ["event log", eventsSection],
  ["traces of messages and requests", tracesSection],
  ["webhooks", webhooksSection],
  ["audit", auditSection],
  ["sessions of the admin pages", adminSessionsSection],
  ["idempotency keys", idempotencySection],
  ["message log", logSection],
  ["searches", searchSection],
  ["open messages and reports", reportsSection],
  ["ids of gateways", gatewayIdsSection],
  ["what came in on messages", messageReportsSection],
  ["erasure", privacySection],
  ["limits of erased numbers", erasedLimitsSection],
  ["retention", retentionSection],
  ["time", timeSection],
  ["a clock that is wrong", wrongClockSection],
  ["what is stored", roundTripSection],
  ["what operators watch", stateSection],
]
