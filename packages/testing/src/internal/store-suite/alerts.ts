import type { Command } from "@countersign/core/decide/Command"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { checkMillis, pauseMillis } from "@countersign/core/domain/alerts/AlertTable"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { sound } from "./prune.ts"
import { atOnce, held, open, run, type StoreService, tagsOf, type Test, times } from "./support.ts"

const { now, organizationId } = Samples
const hour = 3_600_000
const thisHour = { from: now - (now % hour), to: now - (now % hour) + hour }

const check = (
  delivered: number | null,
  organization = organizationId,
): Command<"CheckAlerts"> => ({
  _tag: "CheckAlerts",
  organization,
  version: 1,
  bounds: { delivered: 80, verified: null, spend: null, webhooks: null },
  values: { delivered, verified: null, webhooks: null },
})

const examinable = (store: StoreService, hours = thisHour, after?: OrganizationId, limit = 100) =>
  Effect.map(store.examinable({ ...hours, after, limit }), (all) =>
    all.map(({ checkedAt, organization }) => `${organization} ${checkedAt}`),
  )

/** Sends a message that has an outcome. */
const send = Effect.fnUntraced(function* (store: StoreService, organization = organizationId) {
  yield* open(store, Samples.money("10"), organization)
  yield* run(store, held(1, { organization }))
  yield* run(store, Samples.recordDispatch({ organization }))
})

export const alertsSection = (test: Test): void => {
  test("the state of the alerts is stored, and their events are in the log", function* (store) {
    yield* open(store)
    assert.isUndefined(yield* store.alerts(organizationId))
    yield* run(store, check(10))
    const state = { alert: "delivered", isOpen: true, raisedAt: now }
    const raised = { organization: organizationId, checkedAt: now, isOpen: true, states: [state] }
    assert.deepStrictEqual<unknown>(yield* store.alerts(organizationId), raised)
    yield* TestClock.adjust(checkMillis)
    yield* run(store, check(90))
    assert.deepStrictEqual<unknown>(yield* store.alerts(organizationId), {
      ...raised,
      checkedAt: now + checkMillis,
      isOpen: false,
      states: [{ ...state, isOpen: false }],
    })
    const log = yield* store.events(organizationId, 0, 100)
    assert.deepStrictEqual(
      log?.events.map(({ _tag }) => _tag).filter((tag) => tag.startsWith("Alert")),
      ["AlertRaised", "AlertOver"],
    )
    yield* sound(store)
  })

  test("an alert is raised once, and after it is over not again before an hour", function* (store) {
    yield* open(store)
    const values = [10, 10, 90, 10]
    for (const delivered of values) {
      yield* run(store, check(delivered))
      yield* TestClock.adjust(checkMillis)
    }
    yield* TestClock.adjust(pauseMillis - values.length * checkMillis - 1)
    yield* run(store, check(10))
    yield* TestClock.adjust(checkMillis)
    yield* run(store, check(10))
    const log = yield* store.events(organizationId, 0, 100)
    assert.deepStrictEqual(
      log?.events.flatMap(({ _tag, at }) => (_tag.startsWith("Alert") ? [[_tag, at - now]] : [])),
      [
        ["AlertRaised", 0],
        ["AlertOver", 2 * checkMillis],
        ["AlertRaised", pauseMillis - 1 + checkMillis],
      ],
    )
    yield* sound(store)
  })

  test("of examinations at once, one has an effect", function* (store) {
    yield* open(store)
    const results = yield* atOnce(
      store,
      times(8, () => check(10)),
    )
    assert.deepStrictEqual(tagsOf(results).toSorted(), [
      "AlertsChecked",
      ...times(7, () => "NotDue"),
    ])
    yield* sound(store)
  })

  test("organizations with messages in some hours are found, and those with an open alert", function* (store) {
    const ids = ["b", "a", "c"].map((id) => OrganizationId(id))
    for (const id of ids) yield* send(store, id)
    // Bookings are not examined.
    yield* open(store)
    assert.deepStrictEqual(yield* examinable(store), ["a 0", "b 0", "c 0"])
    assert.deepStrictEqual(yield* examinable(store, thisHour, ids[1], 1), ["b 0"])
    assert.deepStrictEqual(yield* examinable(store, thisHour, ids[2]), [])
    yield* run(store, check(10, ids[0]))
    yield* run(store, check(90, ids[2]))
    assert.deepStrictEqual(yield* examinable(store), ["a 0", `b ${now}`, `c ${now}`])
    const next = { from: thisHour.to, to: thisHour.to + hour }
    assert.deepStrictEqual(yield* examinable(store, next), [`b ${now}`])
    const before = { from: thisHour.from - hour, to: thisHour.from }
    assert.deepStrictEqual(yield* examinable(store, before), [`b ${now}`])
    // The hours belong to each of many.
    const wide = { from: thisHour.from - 3 * hour, to: thisHour.to }
    assert.deepStrictEqual(yield* examinable(store, wide), ["a 0", `b ${now}`, `c ${now}`])
    yield* sound(store)
  })
}
