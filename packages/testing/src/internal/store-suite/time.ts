import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { type Test, open, run, times, transcript } from "./support.ts"

const { now, organizationId, requestId } = Samples

export const timeSection = (test: Test): void => {
  test("a request can be verified until the last millisecond before its expiry", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, Samples.requestVerification({ requestId: requestId(1) }))
      yield* run(
        store,
        Samples.requestVerification({
          requestId: requestId(2),
          draft: Samples.draft({ id: Samples.messageId(2) }),
        }),
      )
      yield* TestClock.adjust(299_999)
      assert.strictEqual(
        (yield* run(store, Samples.checkCode({ requestId: requestId(1) })))._tag,
        "Verified",
      )
      yield* TestClock.adjust(1)
      assert.strictEqual(
        (yield* run(store, Samples.checkCode({ requestId: requestId(2) })))._tag,
        "Expired",
      )
      assert.strictEqual(
        (yield* run(store, Samples.checkCode({ requestId: requestId(1) })))._tag,
        "Verified",
      )
    }))

  test("a request stops being pending when it expires", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const request = (index: number) =>
        Samples.requestVerification({
          requestId: requestId(index),
          limits: { pendingPerNumber: 1 },
          draft: Samples.draft({ id: Samples.messageId(index) }),
        })
      yield* run(store, request(1))
      yield* TestClock.adjust(299_999)
      assert.deepStrictEqual(yield* run(store, request(2)), {
        _tag: "TooManyPending",
        retryAfterSeconds: 1,
      })
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* run(store, request(3)))._tag, "Requested")
    }))

  test("a window slides: its oldest event leaves after exactly its length", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const admit = run(
        store,
        Samples.admitVerification({ limits: { sendsPerNumber: { max: 2, windowMillis: 60_000 } } }),
      )
      yield* admit
      yield* TestClock.adjust(30_000)
      yield* admit
      yield* TestClock.adjust(29_999)
      assert.deepStrictEqual(yield* admit, { _tag: "Limited", retryAfterSeconds: 1 })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* admit, { _tag: "Admitted" })
      assert.deepStrictEqual(yield* admit, { _tag: "Limited", retryAfterSeconds: 30 })
    }))

  test("reading a request commits the store's time", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, Samples.requestVerification())
      yield* TestClock.adjust(12_345)
      assert.strictEqual(
        (yield* store.verification(organizationId, requestId()))?.now,
        now + 12_345,
      )
    }))

  test("a clock that goes back does not restore an expired request", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, Samples.requestVerification())
      yield* TestClock.adjust(300_000)
      assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
      yield* TestClock.setTime(now + 1_000)
      assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
      assert.strictEqual(
        (yield* store.verification(organizationId, requestId()))?.now,
        now + 300_000,
      )
    }))

  test("a clock that goes back opens no window", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* TestClock.adjust(3_600_000)
      yield* transcript(
        store,
        times(10, () => Samples.admitVerification()),
      )
      yield* TestClock.setTime(now)
      assert.deepStrictEqual(yield* run(store, Samples.admitVerification()), {
        _tag: "Limited",
        retryAfterSeconds: 60,
      })
    }))

  test("a clock that goes back makes no message or entry older than the one before it", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      for (const [index, after] of [0, 50, 20, 60, -3_600_000].entries()) {
        yield* TestClock.setTime(now + after)
        yield* run(
          store,
          Samples.holdMessage({ draft: Samples.draft({ id: Samples.messageId(index + 1) }) }),
        )
      }
      const page = yield* store.messages(organizationId, {
        from: undefined,
        to: undefined,
        skip: 0,
        limit: 9,
      })
      assert.deepStrictEqual(
        page?.messages.map(({ createdAt }) => createdAt - now),
        [60, 60, 50, 50, 0],
      )
      const entries = yield* store.entries(organizationId, 0, 9)
      assert.deepStrictEqual(
        entries.map(({ at }) => at - now),
        [0, 0, 50, 50, 60, 60],
      )
    }))

  test("a change of the settings uses the organization's time, and advances it", (store) =>
    Effect.gen(function* () {
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
    }))

  test("organizations have their own time: a future time of one does not advance another", (store) =>
    Effect.gen(function* () {
      const other = Samples.otherOrganizationId
      yield* open(store)
      yield* TestClock.adjust(3_600_000)
      yield* run(store, Samples.topUp())
      yield* TestClock.setTime(now)
      yield* store.createOrganization(Samples.organization({ id: other }))
      yield* run(store, Samples.topUp({ organization: other }))
      assert.strictEqual((yield* store.account(other))?.lastAt, now)
      assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 3_600_000)
    }))
}
