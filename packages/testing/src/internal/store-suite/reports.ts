import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { KeptReport } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { open, present, run, type StoreService, type Test } from "./support.ts"

const { now, organizationId } = Samples
const other = Samples.otherOrganizationId

const hold = (
  store: StoreService,
  index: number,
  leaseMillis: number,
  organization = organizationId,
) => {
  const draft = { id: Samples.messageId(index), leaseMillis, settleMillis: 1_000_000 }
  return run(store, Samples.holdMessage({ organization, draft }))
}

const due = (store: StoreService, limit = 100, without?: ReadonlyArray<OrganizationId>) =>
  Effect.map(store.due(limit, without), (refs) =>
    refs.map(({ sequence, organization }) => `${organization} ${sequence}`),
  )

export const reportsSection = (test: Test): void => {
  test("messages are due from their time on, the longest overdue first, across organizations", function* (store) {
    yield* open(store)
    yield* open(store, Samples.money("10"), other)
    yield* hold(store, 1, 3_000)
    yield* hold(store, 1, 1_000, other)
    yield* hold(store, 2, 2_000)
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(999)
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* due(store), ["other 1"])
    yield* TestClock.adjust(2_000)
    assert.deepStrictEqual(yield* due(store), ["other 1", "acme 2", "acme 1"])
    assert.deepStrictEqual(yield* due(store, 2), ["other 1", "acme 2"])
  })

  test("a read of due messages can exclude organizations, for any number of their due messages", function* (store) {
    const third = OrganizationId("third")
    for (const id of [organizationId, other, third]) yield* open(store, Samples.money("10"), id)
    for (const index of [1, 2, 3]) yield* hold(store, index, 1_000)
    yield* hold(store, 4, 2_000, other)
    yield* hold(store, 5, 3_000, third)
    yield* TestClock.adjust(3_000)
    assert.deepStrictEqual(yield* due(store, 2, [organizationId]), ["other 1", "third 1"])
    assert.deepStrictEqual(yield* due(store, 1, [other, organizationId]), ["third 1"])
    assert.deepStrictEqual(yield* due(store, 9, [OrganizationId("unknown")]), [
      "acme 1",
      "acme 2",
      "acme 3",
      "other 1",
      "third 1",
    ])
    assert.deepStrictEqual(yield* due(store, 9, [organizationId, other, third]), [])
    assert.deepStrictEqual(yield* due(store, 2, []), ["acme 1", "acme 2"])
  })

  test("a message is not due while its outcome can still come, nor once it is final", function* (store) {
    yield* open(store)
    yield* hold(store, 1, 1_000)
    yield* run(store, Samples.recordDispatch())
    yield* TestClock.adjust(999_999)
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* due(store), ["acme 1"])
    yield* run(store, Samples.applyReport())
    assert.deepStrictEqual(yield* due(store), [])
  })

  test("reports on unknown messages are kept once, until they are deleted", function* (store) {
    const report = {
      gateway: "simulated",
      gatewayId: "gw-9",
      status: "delivered",
      detail: "ok",
      evidence: "stat=ok",
    } as const
    assert.deepStrictEqual(yield* store.keptReports(undefined, 10), { now, reports: [] })
    yield* store.keepReport(report)
    yield* TestClock.adjust(5)
    yield* store.keepReport({ ...report, status: "failed", detail: null, evidence: null })
    yield* TestClock.adjust(5)
    yield* store.keepReport(report)
    yield* store.keepReport({ ...report, gatewayId: "gw-8" })
    const kept = yield* store.keptReports(undefined, 10)
    const expected = [
      { ...report, receivedAt: now },
      { ...report, status: "failed", detail: null, evidence: null, receivedAt: now + 5 },
      { ...report, gatewayId: "gw-8", receivedAt: now + 10 },
    ]
    assert.strictEqual(kept.now, now + 10)
    assert.sameDeepMembers<unknown>([...kept.reports], expected)
    const first = present(kept.reports[0])
    yield* store.forgetReport(first)
    yield* store.forgetReport(first)
    assert.deepStrictEqual((yield* store.keptReports(undefined, 10)).reports, kept.reports.slice(1))
  })

  test("a walk through kept reports visits each of them once, also if some are deleted during the walk", function* (store) {
    const ids = Array.from({ length: 7 }, (_, index) => `${index % 2 === 0 ? "gw" : "GW"} ${index}`)
    for (const gatewayId of ids) {
      for (const status of ["accepted", "delivered"] as const) {
        const none = { detail: null, evidence: null }
        yield* store.keepReport({ gateway: "simulated", gatewayId, status, ...none })
      }
    }
    const met: Array<string> = []
    let after: KeptReport | undefined
    for (let step = 0; step < 5; step++) {
      const { reports } = yield* store.keptReports(after, 3)
      assert.strictEqual(reports.length, step < 4 ? 3 : 2)
      met.push(...reports.map(({ gatewayId, status }) => `${gatewayId} ${status}`))
      after = present(reports.at(-1))
      if (step % 2 === 0) yield* store.forgetReport(after)
    }
    assert.deepStrictEqual((yield* store.keptReports(after, 3)).reports, [])
    const all = ids.flatMap((id) => [`${id} accepted`, `${id} delivered`])
    assert.sameMembers(met, all)
  })
}
