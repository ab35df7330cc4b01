import * as Limits from "@countersign/core/domain/Limits"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound, total } from "./prune.ts"
import { type StoreService, type Test, open, run, times } from "./support.ts"

const { messageId, money, organizationId, requestId } = Samples

export const requestTests = (test: Test): void => {
  test("a request is dropped when it is old and over, and is unknown afterwards", (store) =>
    Effect.gen(function* () {
      yield* open(store, money("100"))
      for (const index of [1, 2, 3, 4]) {
        yield* run(
          store,
          Samples.requestVerification({
            requestId: requestId(index),
            expirySeconds: index === 4 ? 86_400 : 300,
            draft: Samples.draft({ id: messageId(index) }),
          }),
        )
      }
      yield* run(store, Samples.checkCode({ requestId: requestId(1) }))
      const wrong = [Samples.peppered("wrong")]
      for (const _ of [1, 2, 3]) {
        yield* run(store, Samples.checkCode({ requestId: requestId(2), candidates: wrong }))
      }
      const left = Effect.map(
        Effect.forEach([1, 2, 3, 4], (index) =>
          store.verification(organizationId, requestId(index)),
        ),
        (found) => found.flatMap((one, index) => (one === undefined ? [] : [index + 1])),
      )
      const hour = { keepMillis: 3_600_000 }
      yield* TestClock.adjust(3_600_000)
      assert.deepStrictEqual(yield* prune(store, "verifications", hour), [0])
      assert.deepStrictEqual(yield* left, [1, 2, 3, 4])
      yield* TestClock.adjust(1)
      assert.strictEqual(total(yield* prune(store, "verifications", hour)), 3)
      assert.deepStrictEqual(yield* left, [4])
      for (const [index, answer] of [
        [1, "NotFound"],
        [2, "NotFound"],
        [3, "NotFound"],
        [4, "Verified"],
      ] as const) {
        const { _tag } = yield* run(store, Samples.checkCode({ requestId: requestId(index) }))
        assert.strictEqual(_tag, answer, `request ${index}`)
      }
      assert.strictEqual(total(yield* prune(store, "verifications", hour)), 1)
      assert.deepStrictEqual(yield* left, [])
      yield* sound(store)
    }))

  test("the sealed codes of expired requests are erased, and no others", (store) =>
    Effect.gen(function* () {
      yield* open(store, money("100"))
      const send = (index: number, expirySeconds: number) =>
        run(
          store,
          Samples.requestVerification({
            requestId: requestId(index),
            phoneNumber: Samples.phoneNumber(index),
            expirySeconds,
            draft: Samples.draft({ id: messageId(index) }),
          }),
        )
      const sealed = Effect.map(
        Effect.forEach(times(8, Number), (index) =>
          store.verification(organizationId, requestId(index + 1)),
        ),
        (found) => found.flatMap((one, index) => (one?.verification.sealed ? [index + 1] : [])),
      )
      for (const index of [1, 2, 3, 4, 5, 6]) yield* send(index, index === 4 ? 3_600 : 60)
      yield* run(store, Samples.checkCode({ requestId: requestId(6) }))
      assert.deepStrictEqual(yield* sealed, [1, 2, 3, 4, 5])
      const step = { limit: 2 }
      assert.strictEqual(total(yield* prune(store, "codes", step)), 0)
      yield* TestClock.adjust(60_000)
      assert.strictEqual(total(yield* prune(store, "codes", step)), 4)
      assert.deepStrictEqual(yield* sealed, [4])
      // Requests that follow a pending one are found in later steps, too.
      for (const index of [7, 8]) yield* send(index, 60)
      yield* TestClock.adjust(60_000)
      assert.strictEqual(total(yield* prune(store, "codes", step)), 2)
      assert.deepStrictEqual(yield* sealed, [4])
      assert.strictEqual(total(yield* prune(store, "codes", step)), 0)
      yield* TestClock.adjust(3_600_000)
      assert.strictEqual(total(yield* prune(store, "codes", step)), 1)
      assert.deepStrictEqual(yield* sealed, [])
      yield* sound(store)
    }))

  test("pending requests do not keep later ones from being dropped", (store) =>
    Effect.gen(function* () {
      yield* open(store, money("100"))
      for (let index = 1; index <= 9; index++) {
        const committed = yield* run(
          store,
          Samples.requestVerification({
            requestId: requestId(index),
            phoneNumber: Samples.phoneNumber(index),
            expirySeconds: index <= 6 ? 86_400 : 60,
            draft: Samples.draft({ id: messageId(index) }),
          }),
        )
        assert.strictEqual(committed._tag, "Requested")
      }
      yield* TestClock.adjust(60_001)
      const minute = { keepMillis: 60_000, limit: 2 }
      assert.strictEqual(total(yield* prune(store, "verifications", minute)), 3)
      assert.strictEqual(total(yield* prune(store, "verifications", minute)), 0)
    }))

  test("the outcome of a message is settled without its request", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, Samples.requestVerification())
      yield* TestClock.adjust(day)
      yield* prune(store, "verifications", { keepMillis: 1 })
      const outcome = { _tag: "Rejected", reason: "recipient", message: "barred" } as const
      const settled = yield* run(store, Samples.recordDispatch({ outcome, requestId: requestId() }))
      assert.strictEqual(settled._tag, "Recorded")
      yield* sound(store)
    }))
}

const longest = Limits.bounds.windowMillis.max

export const recipientTests = (test: Test): void => {
  const limit = { max: 2, windowMillis: longest }
  const admit = (store: StoreService, index = 0) =>
    run(
      store,
      Samples.admitVerification({
        phoneNumber: Samples.phoneNumber(index),
        limits: { sendsPerNumber: limit },
      }),
    )

  test("a number is dropped when no window can reach back to it", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* admit(store)
      yield* admit(store)
      assert.strictEqual((yield* admit(store))._tag, "Limited")
      yield* TestClock.adjust(longest)
      assert.strictEqual(total(yield* prune(store, "recipients", { keepMillis: 0 })), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(total(yield* prune(store, "recipients", { keepMillis: longest * 2 })), 0)
      assert.strictEqual(total(yield* prune(store, "recipients", { keepMillis: 0 })), 1)
      assert.deepStrictEqual(
        [yield* admit(store), yield* admit(store), yield* admit(store)].map(({ _tag }) => _tag),
        ["Admitted", "Admitted", "Limited"],
      )
    }))

  test("a number that is used again while it is being dropped stays counted", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const indexes = times(30, (index) => index)
      yield* Effect.forEach(indexes, (index) => admit(store, index))
      yield* TestClock.adjust(longest + 1)
      const admitted = Effect.forEach(
        indexes.filter((index) => index % 3 === 0),
        (index) => Effect.andThen(admit(store, index), admit(store, index)),
        { concurrency: "unbounded" },
      )
      const pruned = Effect.forEach(
        [1, 2, 3],
        () => prune(store, "recipients", { keepMillis: 0, limit: 4 }),
        { concurrency: "unbounded" },
      )
      const [, dropped] = yield* Effect.all([admitted, pruned], { concurrency: 2 })
      assert.isAtLeast(total(dropped.flat()), 20)
      const again = yield* Effect.forEach(indexes, (index) => admit(store, index))
      assert.deepStrictEqual(
        again.map(({ _tag }) => _tag),
        indexes.map((index) => (index % 3 === 0 ? "Limited" : "Admitted")),
      )
    }))

  test("the sweep visits every number, a few in a step", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* Effect.forEach(
        times(10, (index) => index),
        (index) => admit(store, index),
      )
      yield* TestClock.adjust(longest + 1)
      yield* Effect.forEach([1, 3, 5], (index) => admit(store, index))
      const dropped = yield* prune(store, "recipients", { keepMillis: 0, limit: 3 })
      assert.isTrue(dropped.every((rows) => rows <= 3))
      assert.isAtLeast(dropped.length, 4)
      assert.strictEqual(total(dropped), 7)
    }))
}
