import { assert } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { held, logOf, open, run, type Test } from "./support.ts"

const { now, organizationId, requestId } = Samples

export const timeSection = (test: Test): void => {
  test("reading a request commits the store's time", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* TestClock.adjust(12_345)
    assert.strictEqual((yield* store.verification(organizationId, requestId()))?.now, now + 12_345)
  })

  test("a clock that goes back does not restore an expired request", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* TestClock.adjust(300_000)
    assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
    yield* TestClock.setTime(now + 1_000)
    assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
    assert.strictEqual((yield* store.verification(organizationId, requestId()))?.now, now + 300_000)
  })

  test("a clock that goes back makes no message or entry older than the one before it", function* (store) {
    yield* open(store)
    for (const [index, after] of [0, 50, 20, 60, -3_600_000].entries()) {
      yield* TestClock.setTime(now + after)
      yield* run(store, held(index))
    }
    const { messages } = yield* logOf(store)
    assert.deepStrictEqual(
      messages.map(({ createdAt }) => createdAt - now),
      [60, 60, 50, 50, 0],
    )
    const entries = yield* store.entries(organizationId, 0, 9)
    assert.deepStrictEqual(
      entries.map(({ at }) => at - now),
      [0, 0, 50, 50, 60, 60],
    )
  })

  test("a change of the settings uses the organization's time, and advances it", function* (store) {
    const seen: Array<number> = []
    const look = store.changeOrganization(organizationId, (same, at) => {
      seen.push(at - now)
      return same
    })
    yield* open(store)
    yield* TestClock.adjust(100)
    yield* look
    yield* TestClock.setTime(now + 50)
    yield* look
    assert.deepStrictEqual([...new Set(seen)], [100])
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 100)
  })

  test("organizations have their own time: a future time of one does not advance another", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store)
    yield* TestClock.adjust(3_600_000)
    yield* run(store, Samples.topUp())
    yield* TestClock.setTime(now)
    yield* store.createOrganization(Samples.organization({ id: other }))
    yield* run(store, Samples.topUp({ organization: other }))
    assert.strictEqual((yield* store.account(other))?.lastAt, now)
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 3_600_000)
  })
}
