import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Arbitraries from "../../Arbitraries.ts"
import * as Invariants from "../../Invariants.ts"
import { prune, total } from "./prune.ts"
import { messageSearch, verificationSearch } from "../searchPages.ts"
import { open, present, type StoreService, type Test } from "./support.ts"

/** Plays a history to the store under test and to the memory store, and compares every answer. */
const playToBoth = Effect.fnUntraced(function* (
  store: StoreService,
  organization: OrganizationId,
  history: ReadonlyArray<Arbitraries.Event>,
) {
  const memory = MemoryStore.make()
  yield* open(store, undefined, organization)
  yield* open(memory, undefined, organization)
  for (const { afterMillis, command } of history) {
    yield* TestClock.adjust(afterMillis)
    const owned = { ...command, organization }
    const expected = yield* memory.execute(owned)
    assert.deepStrictEqual(yield* store.execute(owned), expected, command._tag)
  }
  const snapshot = present(yield* Invariants.read(store, organization))
  assert.deepStrictEqual(Invariants.problems(snapshot), [])
  assert.deepStrictEqual(snapshot, present(yield* Invariants.read(memory, organization)))
  assert.deepStrictEqual(yield* Invariants.searchProblems(store, snapshot), [])
  yield* searchBoth(store, memory, snapshot)
  const findings = yield* store.findings(organization, 100)
  assert.deepStrictEqual(findings, yield* memory.findings(organization, 100))
  for (const kind of [
    "codes",
    "messages",
    "verifications",
    "recipients",
    "findings",
    "totals",
    "events",
    "audit",
  ] as const) {
    const keepMillis = 20_000
    const dropped = total(yield* prune(store, kind, { organization, keepMillis, limit: 3 }))
    assert.strictEqual(dropped, total(yield* prune(memory, kind, { organization, keepMillis })))
  }
  // A store may keep the sum of a day until the whole day is old.
  const kept = present(yield* Invariants.read(store, organization))
  const inMemory = present(yield* Invariants.read(memory, organization))
  assert.deepStrictEqual({ ...kept, days: [] }, { ...inMemory, days: [] })
})

/** Compares the pages of searches with those in memory. */
const searchBoth = Effect.fnUntraced(function* (
  store: StoreService,
  memory: StoreService,
  { account: { organization }, messages }: Invariants.Snapshot,
) {
  for (const phoneNumber of [undefined, ...new Set(messages.map((one) => one.phoneNumber))]) {
    for (const statuses of [messageStatuses, ["failed", "rejected"] as const]) {
      const search = messageSearch({ phoneNumber, statuses, limit: 2, examine: 3 })
      assert.deepStrictEqual(
        yield* store.searchMessages(organization, search),
        yield* memory.searchMessages(organization, search),
      )
    }
    const search = verificationSearch({ phoneNumber, limit: 2, examine: 3 })
    assert.deepStrictEqual(
      yield* store.searchVerifications(organization, search),
      yield* memory.searchVerifications(organization, search),
    )
  }
})

export const differentialSection = (test: Test): void => {
  test("any history gives the same answers and rows as in memory", function* (store) {
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
    let histories = 0
    const property = fc.asyncProperty(Arbitraries.history(), (history) => {
      histories += 1
      return runPromise(playToBoth(store, OrganizationId(`history-${histories}`), history))
    })
    yield* Effect.promise(() => fc.assert(property, { numRuns: 25 }))
  })
}
