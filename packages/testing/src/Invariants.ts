/**
 * What holds of an organization's rows at any time, whatever has happened. The
 * rows are read through the `Store` port; each violation is a sentence that
 * names the invariant.
 */
import type { Account, Entry } from "@countersign/core/domain/Account"
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import type { OrganizationId } from "@countersign/core/domain/Ids"
import type { Message } from "@countersign/core/domain/Message"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import { regressionsIn } from "./internal/invariants/regressions.ts"
import { accountProblems } from "./internal/invariants/account.ts"
import { messageProblems } from "./internal/invariants/messages.ts"
import { reportProblems } from "./internal/invariants/reports.ts"
import type { Bounds, Snapshot } from "./internal/invariants/snapshot.ts"
import { verificationProblems } from "./internal/invariants/verifications.ts"

export type { Bounds, Snapshot }

/** What the interface document says. */
export const standardBounds: Bounds = {
  sendsPerNumber: { max: 10, windowMillis: 60_000 },
  pendingPerNumber: 5,
  attempts: 3,
}

const pageSize = 500

const everyEntry = Effect.fnUntraced(function* (store: Store["Service"], id: OrganizationId) {
  const entries: Array<Entry> = []
  while (true) {
    const page = yield* store.entries(id, entries.at(-1)?.sequence ?? 0, pageSize)
    entries.push(...page)
    if (page.length < pageSize) return entries
  }
})

const everyMessage = Effect.fnUntraced(function* (store: Store["Service"], id: OrganizationId) {
  const messages: Array<Message> = []
  while (true) {
    const query = { from: undefined, to: undefined, skip: messages.length, limit: pageSize }
    const page = yield* store.messages(id, query)
    messages.push(...(page?.messages ?? []))
    if ((page?.messages.length ?? 0) < pageSize) return messages.toReversed()
  }
})

/** How many of the messages that are gone are looked at again. */
const goneMessages = 20

/** The reports on messages of the log, and on those that went last. */
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
 * Reads all rows of an organization; `undefined` when there is none. Nothing
 * may be under way meanwhile: the rows are read one table after another.
 */
export const read = (
  store: Store["Service"],
  id: OrganizationId,
): Effect.Effect<Snapshot | undefined, StoreUnavailable> =>
  Effect.gen(function* () {
    const account = yield* store.account(id)
    if (account === undefined) return undefined
    const entries = yield* everyEntry(store, id)
    const messages = yield* everyMessage(store, id)
    const requests = new Set(
      messages.flatMap(({ verification }) => (verification === null ? [] : [verification])),
    )
    const found = yield* Effect.forEach(requests, (request) => store.verification(id, request))
    const verifications = found.flatMap((one) => (one === undefined ? [] : [one.verification]))
    const reports = yield* everyReport(store, account)
    return { account, entries, messages, verifications, reports }
  })

/** What is wrong with the rows of one moment; nothing, where all is well. */
export const problems = (
  snapshot: Snapshot,
  bounds: Bounds = standardBounds,
): ReadonlyArray<string> => [
  ...accountProblems(snapshot),
  ...messageProblems(snapshot),
  ...verificationProblems(snapshot, bounds),
  ...reportProblems(snapshot),
]

/** What should not have changed from one moment to a later one. */
export const regressions = (
  before: Snapshot,
  after: Snapshot,
  bounds: Bounds = standardBounds,
): ReadonlyArray<string> => regressionsIn(before, after, bounds)
