import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Trace } from "@countersign/core/ports/Search"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  delivered,
  open,
  run,
  settled,
  type StoreService,
  type Test,
  times,
  unsent,
} from "./support.ts"

const { messageId, organizationId, requestId } = Samples

const at = (millis: number) => Samples.now + millis

const trace = (store: StoreService, about: Parameters<StoreService["trace"]>[1]) =>
  store.trace(organizationId, about)

const linesOf = ({ entries, events }: Trace) => [
  ...entries.map(({ at, kind, sequence }) => `${sequence} ${kind} ${at - Samples.now}`),
  ...events.map(({ _tag, at, sequence }) => `${sequence} ${_tag} ${at - Samples.now}`),
]

/** Six messages, one each 10 ms, the third of them with a code. The first three end 100 ms later. */
const traffic = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store)
  for (const index of times(6, (index) => index + 1)) {
    yield* TestClock.adjust(10)
    const draft = Samples.newMessage({ id: messageId(index) })
    yield* index === 3
      ? run(store, Samples.requestVerification({ draft }))
      : run(store, Samples.holdMessage({ draft }))
  }
  yield* TestClock.adjust(70)
  yield* run(store, settled(3, delivered("gw-3"), { requestId: requestId() }))
  for (const message of [2, 1]) {
    yield* TestClock.adjust(10)
    yield* run(store, settled(message, unsent))
  }
  yield* run(store, Samples.checkCode())
})

export const tracesSection = (test: Test): void => {
  test("ledger entries and events are found by their message and their request", function* (store) {
    yield* traffic(store)
    const about = { from: Samples.now, messages: [2], requestId: null, examine: 100 }
    const found = yield* trace(store, about)
    assert.deepStrictEqual(linesOf(found), [
      "3 hold 20",
      "9 release 140",
      "4 MessageSettled 140",
      "5 Refunded 140",
    ])
    assert.isUndefined(found.until)
    const ledger = yield* store.entries(organizationId, 0, 100)
    assert.deepStrictEqual(
      found.entries,
      ledger.filter(({ messageSequence }) => messageSequence === 2),
    )
    const both = yield* trace(store, { ...about, messages: [3, 2], requestId: requestId() })
    assert.deepStrictEqual(linesOf(both), [
      "3 hold 20",
      "4 hold 30",
      "8 capture 130",
      "9 release 140",
      "2 MessageSettled 130",
      "3 VerificationSent 130",
      "4 MessageSettled 140",
      "5 Refunded 140",
      "8 Verified 150",
    ])
    const request = yield* trace(store, { ...about, messages: [], requestId: requestId() })
    assert.deepStrictEqual(linesOf(request), ["3 VerificationSent 130", "8 Verified 150"])
  })

  test("a trace begins at its time, and ends after the examined rows", function* (store) {
    yield* traffic(store)
    const about = { messages: [1, 2, 3, 4, 5, 6], requestId: requestId(), examine: 3 }
    const sent = ["2 MessageSettled 130", "3 VerificationSent 130", "4 MessageSettled 140"]
    const late = ["4 MessageSettled 140", "5 Refunded 140", "6 MessageSettled 150"]
    const last = ["6 MessageSettled 150", "7 Refunded 150", "8 Verified 150"]
    const cases: ReadonlyArray<[from: number, lines: Array<string>, until: number | undefined]> = [
      // The first row of both logs is the top-up.
      [0, ["2 hold 10", "3 hold 20", ...sent.slice(0, 2)], 30],
      [20, ["3 hold 20", "4 hold 30", "5 hold 40", ...sent], 50],
      [21, ["4 hold 30", "5 hold 40", "6 hold 50", ...sent], 60],
      [140, ["9 release 140", "10 release 150", ...late], 150],
      [150, ["10 release 150", ...last], undefined],
      [151, [], undefined],
    ]
    for (const [from, lines, until] of cases) {
      const found = yield* trace(store, { ...about, from: at(from) })
      assert.deepStrictEqual(linesOf(found), lines)
      assert.strictEqual(found.until, until === undefined ? undefined : at(until))
    }
  })

  test("an unknown organization, message and request have no trace", function* (store) {
    yield* traffic(store)
    const about = { from: 0, messages: [7, 0], requestId: requestId(9), examine: 100 }
    const none = { entries: [], events: [], until: undefined }
    assert.deepStrictEqual(yield* trace(store, about), none)
    const unknown = yield* store.trace(OrganizationId("unknown"), { ...about, messages: [1] })
    assert.deepStrictEqual(unknown, none)
  })
}
