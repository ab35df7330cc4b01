import type { GatewayPeriod } from "@countersign/core/domain/messages/GatewayPeriod"
import * as Counter from "@countersign/core/domain/money/Counter"
import * as Money from "@countersign/core/domain/values/Money"
import type { CounterQuery } from "@countersign/core/ports/CounterRows"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import { sound } from "./prune.ts"
import { atOnce, held, open, run, settled, type StoreService, type Test, times } from "./support.ts"

const { now, organizationId, otherOrganizationId } = Samples

const hour = 3_600_000

const everything: CounterQuery = {
  kinds: Counter.kinds,
  subjects: ["a", "b", "simulated"],
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  slotMillis: hour,
}

/** A line for each counter: the hour since `now`, what it counts, and the newest message of an error. */
const lines = (store: StoreService, query: Partial<CounterQuery> = {}) =>
  Effect.map(store.counters({ ...everything, ...query }), (rows) =>
    rows.map(
      ({ amount, count, kind, lastAt, lastOrganization, lastSequence, name, refunded, ...row }) =>
        [
          (row.hour - now) / hour,
          row.subject,
          kind,
          name,
          count,
          ...(kind === "messages" ? [Money.format(amount), Money.format(refunded)] : []),
          ...(lastAt === 0 ? [] : [lastOrganization, lastSequence]),
        ].join(" "),
    ),
  )

const refused = {
  _tag: "Rejected",
  reason: "recipient",
  message: "no such number",
  vendorCode: "21211",
  gateway: "b",
  attempts: [
    { gateway: "a", millis: 30_000, failure: "unknown" },
    { gateway: "b", millis: 60, failure: "recipient", vendorCode: "21211" },
  ],
} as const

const taken = {
  _tag: "Accepted",
  gateway: "b",
  gatewayId: "gw-1",
  attempts: [{ gateway: "b", millis: 120 }],
} as const

export const countersSection = (test: Test): void => {
  test("gateways are counted over all organizations, with the time of each attempt", function* (store) {
    for (const organization of [organizationId, otherOrganizationId]) {
      yield* open(store, Samples.money("10"), organization)
      yield* run(store, held(1, { organization }))
      yield* run(store, settled(1, taken, { organization }))
    }
    yield* run(store, held(2))
    yield* run(store, settled(2, refused, { token: Samples.messageId(2) }))
    assert.deepStrictEqual(yield* lines(store), [
      "0 a answers more 1",
      "0 b answers 100 1",
      "0 b answers 150 2",
      `0 a errors unknown 1 ${organizationId} 2`,
      `0 b errors recipient:21211 1 ${organizationId} 2`,
      "0 b messages accepted 2 1.00 0.00",
      "0 b messages rejected 1 0.50 0.50",
    ])
    yield* sound(store)
  })

  test("an outcome that is recorded again counts once", function* (store) {
    yield* open(store)
    const outcomes = [taken, refused]
    for (const [index, outcome] of outcomes.entries()) {
      yield* run(store, held(index + 1))
      const record = settled(index + 1, outcome, { token: Samples.messageId(index + 1) })
      yield* run(store, record)
      yield* run(store, record)
    }
    assert.deepStrictEqual(yield* lines(store), [
      "0 a answers more 1",
      "0 b answers 100 1",
      "0 b answers 150 1",
      `0 a errors unknown 1 ${organizationId} 2`,
      `0 b errors recipient:21211 1 ${organizationId} 2`,
      "0 b messages accepted 1 0.50 0.00",
      "0 b messages rejected 1 0.50 0.50",
    ])
    const snapshot = yield* sound(store)
    assert.deepStrictEqual(yield* Invariants.counterProblems(store, [snapshot]), [])
  })

  test("an error of a report counts in the hour of the report, the message in its own", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    yield* run(store, settled(1, taken))
    yield* TestClock.adjust(hour)
    const report = Samples.applyReport({
      status: "undelivered",
      reason: "recipient",
      vendorCode: "30003",
    })
    yield* run(store, report)
    yield* run(store, report)
    const counted = [
      "0 b answers 150 1",
      "0 b messages undelivered 1 0.50 0.50",
      `1 b errors recipient:30003 1 ${organizationId} 1`,
    ]
    assert.deepStrictEqual(yield* lines(store), counted)
    assert.deepStrictEqual(yield* lines(store, { from: now + hour }), counted.slice(2))
    assert.deepStrictEqual(yield* lines(store, { to: now + hour }), counted.slice(0, 2))
    assert.deepStrictEqual(yield* lines(store, { kinds: ["answers"] }), counted.slice(0, 1))
    assert.deepStrictEqual(yield* lines(store, { subjects: ["a"] }), [])
  })

  test("days are the sums of their hours, and the newest error has its message", function* (store) {
    yield* open(store)
    for (const index of [1, 2]) {
      yield* run(store, held(index))
      yield* run(store, settled(index, refused, { token: Samples.messageId(index) }))
      yield* TestClock.adjust(hour)
    }
    const start = now - (now % 86_400_000)
    const day = yield* store.counters({ ...everything, slotMillis: 86_400_000, kinds: ["errors"] })
    const found = day.map(({ count, hour: at, lastSequence, name }) => [
      at,
      name,
      count,
      lastSequence,
    ])
    assert.deepStrictEqual(found, [
      [start, "unknown", 2, 2],
      [start, "recipient:21211", 2, 2],
    ])
  })

  test("requests of keys are added to those of their hour", function* (store) {
    const requests = (subject: string, count: number, at = now) =>
      Counter.one({ kind: "requests", subject, name: "", count }, at)
    yield* store.addCounters([])
    yield* store.addCounters([requests("b", 2), requests("a", 3)])
    yield* store.addCounters([requests("a", 4, now + 1), requests("b", 1, now + hour)])
    assert.deepStrictEqual(yield* lines(store, { kinds: ["requests"] }), [
      "0 a requests  7",
      "0 b requests  2",
      "1 b requests  1",
    ])
    const days = yield* lines(store, { kinds: ["requests"], slotMillis: 24 * hour })
    assert.deepStrictEqual(days, ["0 a requests  7", "0 b requests  3"])
  })

  test("commands at once count each message once", function* (store) {
    yield* open(store, Samples.money("100"))
    yield* atOnce(
      store,
      times(20, (index) => held(index + 1)),
    )
    yield* atOnce(
      store,
      times(20, (index) => settled(index + 1, taken, { token: Samples.messageId(index + 1) })),
    )
    const counted = yield* store.counters({ ...everything, kinds: ["answers"] })
    assert.deepStrictEqual(
      counted.map(({ count, name }) => [name, count]),
      [["150", 20]],
    )
    yield* sound(store)
  })

  test("periods of gateways are replaced, and read from the newest", function* (store) {
    const period = (
      node: string,
      since: number,
      more: Partial<GatewayPeriod> = {},
    ): GatewayPeriod => ({
      gateway: "a",
      node,
      since,
      until: null,
      state: "available",
      seenAt: since,
      reason: null,
      retryAt: null,
      moved: {},
      ...more,
    })
    const paused = period("n1", now, {
      until: now + 9,
      state: "failing",
      reason: "no answer (ক)",
      retryAt: now + 5,
      moved: {
        b: 3,
        'c "d"': 1,
      },
    })
    yield* store.saveGatewayPeriods([])
    yield* store.saveGatewayPeriods([period("n1", now), period("n2", now), period("n1", now + 9)])
    yield* store.saveGatewayPeriods([paused, { ...paused, gateway: "b" }])
    const [newest, other] = [period("n1", now + 9), period("n2", now)]
    assert.deepStrictEqual(yield* store.gatewayPeriods("a", now), [newest, paused, other])
    assert.deepStrictEqual(yield* store.gatewayPeriods("a", now + 10), [newest, other])
    assert.deepStrictEqual(yield* store.gatewayPeriods("c", 0), [])
  })
}
