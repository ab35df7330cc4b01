import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Report from "@countersign/core/domain/messages/MessageReport"
import type { ReportPlace } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { atOnce, held, open, present, run, type StoreService, type Test, times } from "./support.ts"

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
    assert.deepStrictEqual(yield* store.keptReports(undefined, 10), {
      now,
      reports: [],
      last: undefined,
    })
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
    let after: ReportPlace | undefined
    for (let step = 0; step < 5; step++) {
      const { last, reports } = yield* store.keptReports(after, 3)
      assert.strictEqual(reports.length, step < 4 ? 3 : 2)
      met.push(...reports.map(({ gatewayId, status }) => `${gatewayId} ${status}`))
      after = last
      if (step % 2 === 0) yield* store.forgetReport(present(reports.at(-1)))
    }
    assert.deepStrictEqual((yield* store.keptReports(after, 3)).reports, [])
    const all = ids.flatMap((id) => [`${id} accepted`, `${id} delivered`])
    assert.sameMembers(met, all)
  })
}

const on = (store: StoreService, sequence: number, organization = organizationId) =>
  store.reports({ organization, sequence })

/** A report with unique evidence. */
const marked = (index: number) => Samples.reportSource({ evidence: `stat=DELIVRD&part=${index}` })

export const messageReportsSection = (test: Test): void => {
  test("a report is returned unchanged, with its message", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    yield* TestClock.adjust(7)
    const evidence = 'id:1 "quoted" \\ back, \n(a,b){c} \u09e7 \u{1f642} NULL'
    const source = Samples.reportSource({ gateway: "second", gatewayId: "gw-9", evidence })
    yield* run(store, Samples.applyReport({ status: "failed", detail: 'no, "sir"', source }))
    yield* TestClock.adjust(1)
    const early = Samples.reportSource({ receivedAt: now + 3 })
    yield* run(store, Samples.applyReport({ source: early }))
    assert.deepStrictEqual<ReadonlyArray<Report.Report>>(yield* on(store, 1), [
      Samples.report({
        receivedAt: now + 7,
        gateway: "second",
        gatewayId: "gw-9",
        status: "failed",
        detail: 'no, "sir"',
        evidence,
      }),
      Samples.report({ position: 2, receivedAt: now + 3 }),
    ])
    assert.deepStrictEqual(yield* on(store, 2), [])
    assert.deepStrictEqual(yield* on(store, 1, other), [])
  })

  test("reports belong to one message of one organization", function* (store) {
    yield* open(store)
    yield* open(store, Samples.money("10"), other)
    yield* run(store, held(1))
    yield* run(store, held(2))
    yield* run(store, held(1, { organization: other }))
    yield* run(store, Samples.applyReport({ messageSequence: 2, source: marked(2) }))
    yield* run(store, Samples.applyReport({ organization: other, source: marked(3) }))
    const evidenceOf = (reports: ReadonlyArray<Report.Report>) =>
      reports.map(({ evidence }) => evidence)
    assert.deepStrictEqual(evidenceOf(yield* on(store, 1)), [])
    assert.deepStrictEqual(evidenceOf(yield* on(store, 2)), [marked(2).evidence])
    assert.deepStrictEqual(evidenceOf(yield* on(store, 1, other)), [marked(3).evidence])
  })

  test("the first reports on a message are kept, and later ones counted", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    const count = Report.maxKept + 5
    yield* atOnce(
      store,
      times(count, (index) => Samples.applyReport({ source: marked(index) })),
    )
    const kept = yield* on(store, 1)
    assert.deepStrictEqual(
      kept.map(({ position }) => position),
      times(Report.maxKept, (index) => index + 1),
    )
    assert.strictEqual(new Set(kept.map(({ evidence }) => evidence)).size, Report.maxKept)
    const snapshot = present(yield* Invariants.read(store, organizationId))
    assert.strictEqual(snapshot.messages[0]?.reports, count)
    assert.deepStrictEqual(Invariants.problems(snapshot), [])
  })

  test("reports are dropped with their message, and later ones are not kept", function* (store) {
    yield* open(store)
    for (const number of [1, 2]) {
      yield* run(store, held(number))
      yield* run(store, Samples.applyReport({ messageSequence: number, source: marked(number) }))
      yield* TestClock.adjust(day)
    }
    yield* prune(store, "messages")
    const late = yield* run(store, Samples.applyReport({ source: marked(3) }))
    assert.strictEqual(late._tag, "NotFound")
    assert.deepStrictEqual(yield* on(store, 1), [])
    assert.strictEqual((yield* on(store, 2)).length, 1)
    yield* sound(store)
  })
}
