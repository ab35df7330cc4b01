import * as Report from "@countersign/core/domain/messages/MessageReport"
import { assert } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { atOnce, held, open, present, run, type StoreService, type Test, times } from "./support.ts"

const { now, organizationId } = Samples
const other = Samples.otherOrganizationId

const on = (store: StoreService, sequence: number, organization = organizationId) =>
  store.reports({ organization, sequence })

const hold = (store: StoreService, index: number, organization = organizationId) =>
  run(store, held(index, { organization }))

/** A report with unique evidence. */
const marked = (index: number) => Samples.reportSource({ evidence: `stat=DELIVRD&part=${index}` })

export const messageReportsSection = (test: Test): void => {
  test("a report is returned unchanged, with its message", function* (store) {
    yield* open(store)
    yield* hold(store, 1)
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
    yield* hold(store, 1)
    yield* hold(store, 2)
    yield* hold(store, 1, other)
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
    yield* hold(store, 1)
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
      yield* hold(store, number)
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
