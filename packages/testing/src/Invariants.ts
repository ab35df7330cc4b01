/**
 * Invariants of an organization's rows. They hold at any time, after any history. Rows are read through the
 * `Store` port. Each violation is a sentence that names the invariant.
 */
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Message } from "@countersign/core/domain/messages/Message"
import { isErased } from "@countersign/core/domain/verifications/Verification"
import { dayMillis, kinds, quarterMillis } from "@countersign/core/domain/money/Total"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import { regressionsIn } from "./internal/invariants/regressions.ts"
import { accountProblems } from "./internal/invariants/account.ts"
import { alertProblems } from "./internal/invariants/alerts.ts"
import * as Counters from "./internal/invariants/counters.ts"
import { erasureProblems } from "./internal/invariants/erased.ts"
import { auditProblems } from "./internal/invariants/audit.ts"
import { eventProblems } from "./internal/invariants/events.ts"
import { messageProblems } from "./internal/invariants/messages.ts"
import { reportProblems } from "./internal/invariants/reports.ts"
import * as Searches from "./internal/invariants/searches.ts"
import type { SearchOptions } from "./internal/invariants/searches.ts"
import type { Bounds, Snapshot } from "./internal/invariants/snapshot.ts"
import { everyRequestOf, verificationSearch } from "./internal/searchPages.ts"
import { totalProblems } from "./internal/invariants/totals.ts"
import { verificationProblems } from "./internal/invariants/verifications.ts"
import { webhookProblems } from "./internal/invariants/webhooks.ts"

export type { Bounds, SearchOptions, Snapshot }

/** The bounds of the interface document. */
export const standardBounds: Bounds = {
  sendsPerNumber: { max: 10, windowMillis: 60_000 },
  pendingPerNumber: 5,
  attempts: 3,
  resends: 3,
}

const pageSize = 500

/** All rows, by pages that begin after those found before. */
const every = Effect.fnUntraced(function* <A, E>(
  read: (found: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<A> | undefined, E>,
) {
  const found: Array<A> = []
  while (true) {
    const page = (yield* read(found)) ?? []
    found.push(...page)
    if (page.length < pageSize) return found
  }
})

/** Most removed messages that are checked again. */
const goneMessages = 20

/** Reads the reports on messages of the log and on recently removed messages. */
const everyReport = (
  store: Store["Service"],
  { firstMessage, lastMessage, organization }: Account,
) => {
  const from = Math.max(1, firstMessage - goneMessages)
  const numbers = Array.from({ length: lastMessage + 1 - from }, (_, index) => from + index)
  return Effect.map(
    Effect.forEach(numbers, (number) => store.reports({ organization, sequence: number })),
    (reports) => reports.flat(),
  )
}

/**
 * Reads all rows of an organization; `undefined` if it does not exist. No other work may run meanwhile,
 * because the tables are read one after another.
 */
export const read = (
  store: Store["Service"],
  id: OrganizationId,
): Effect.Effect<Snapshot | undefined, StoreUnavailable> =>
  Effect.gen(function* () {
    const account = yield* store.account(id)
    const organization = yield* store.organization(id)
    if (account === undefined || organization === undefined) return undefined
    const entries = yield* every<Entry, StoreUnavailable>((found) =>
      store.entries(id, found.at(-1)?.sequence ?? 0, pageSize),
    )
    const newestFirst = yield* every<Message, StoreUnavailable>(({ length: skip }) => {
      const query = { from: undefined, to: undefined, skip, limit: pageSize }
      return Effect.map(store.messages(id, query), (page) => page?.messages)
    })
    const messages = newestFirst.toReversed()
    const requests = new Set(
      messages.flatMap(({ requestId }) => (requestId === null ? [] : [requestId])),
    )
    const found = yield* Effect.forEach(requests, (request) => store.verification(id, request))
    const search = verificationSearch({ limit: pageSize, examine: pageSize })
    const verifications = [
      ...found.flatMap((one) => (one === undefined ? [] : [one.verification])),
      // Only a search returns requests that are erased.
      ...(yield* everyRequestOf(store, id, search)).filter(isErased),
    ]
    const reports = yield* everyReport(store, account)
    const quarters = { kinds, from: 0, to: Number.MAX_SAFE_INTEGER, slotMillis: quarterMillis }
    const totals = yield* store.totals(id, quarters)
    const days = yield* store.totals(id, { ...quarters, slotMillis: dayMillis })
    const events = yield* every<LoggedEvent, StoreUnavailable>((found) =>
      Effect.map(store.events(id, found.at(-1)?.sequence ?? 0, pageSize), (page) => page?.events),
    )
    const webhooks = yield* store.webhookProgress(id)
    const audit = yield* every<AuditRecord, StoreUnavailable>((found) =>
      Effect.map(store.audit(id, found.at(-1)?.sequence, pageSize), (page) => page?.entries),
    )
    return {
      organization,
      account,
      entries,
      messages,
      verifications,
      reports,
      totals,
      days,
      events,
      audit: audit.toReversed(),
      webhooks,
      alerts: yield* store.alerts(id),
    }
  })

/** Returns the violations in the rows of one moment; empty if all invariants hold. */
export const problems = (
  snapshot: Snapshot,
  bounds: Bounds = standardBounds,
): ReadonlyArray<string> => [
  ...accountProblems(snapshot),
  ...messageProblems(snapshot),
  ...verificationProblems(snapshot, bounds),
  ...reportProblems(snapshot),
  ...totalProblems(snapshot, bounds),
  ...eventProblems(snapshot),
  ...webhookProblems(snapshot),
  ...erasureProblems(snapshot),
  ...auditProblems(snapshot),
  ...alertProblems(snapshot),
]

/**
 * Returns what the counters of gateways and webhooks count wrongly, compared with the rows of all organizations. No other
 * work may run meanwhile.
 */
export const counterProblems = (
  store: Store["Service"],
  snapshots: ReadonlyArray<Snapshot>,
): Effect.Effect<ReadonlyArray<string>, StoreUnavailable> =>
  Counters.counterProblems(store, snapshots)

/**
 * Returns what searches find wrongly, compared with the rows. No other work may run meanwhile.
 *
 * @defaultValue `options`: small pages, and every phone number
 */
export const searchProblems = (
  store: Store["Service"],
  snapshot: Snapshot,
  options: SearchOptions = { limit: 2, examine: 3, phoneNumbers: Infinity },
): Effect.Effect<ReadonlyArray<string>, StoreUnavailable> =>
  Searches.searchProblems(store, snapshot, options)

/** Returns the forbidden changes between two moments. */
export const regressions = (
  before: Snapshot,
  after: Snapshot,
  bounds: Bounds = standardBounds,
): ReadonlyArray<string> => regressionsIn(before, after, bounds)
