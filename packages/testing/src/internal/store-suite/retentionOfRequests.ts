import * as Ids from "@countersign/core/domain/values/Ids"
import * as Limits from "@countersign/core/domain/limits/Limits"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound, total } from "./prune.ts"
import {
  asked,
  atOnce,
  open,
  run,
  settled,
  type StoreService,
  tagsOf,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { messageId, money, organizationId, requestId } = Samples

export const requestTests = (test: Test): void => {
  test("a request is dropped when it is old and over, and is unknown afterwards", function* (store) {
    yield* open(store, money("100"))
    for (const index of [1, 2, 3, 4]) {
      yield* run(
        store,
        Samples.requestVerification({
          requestId: requestId(index),
          expirySeconds: index === 4 ? 86_400 : 300,
          draft: { id: messageId(index) },
        }),
      )
    }
    yield* run(store, Samples.checkCode({ requestId: requestId(1) }))
    const wrong = [Samples.codeOf("wrong")]
    for (const _ of [1, 2, 3]) {
      yield* run(store, Samples.checkCode({ requestId: requestId(2), candidates: wrong }))
    }
    const left = Effect.map(
      Effect.forEach([1, 2, 3, 4], (index) => store.verification(organizationId, requestId(index))),
      (found) => found.flatMap((one, index) => (one === undefined ? [] : [index + 1])),
    )
    const hour = { keepMillis: 3_600_000 }
    yield* TestClock.adjust(3_600_000)
    assert.deepStrictEqual(yield* prune(store, "verifications", hour), [0])
    assert.deepStrictEqual(yield* left, [1, 2, 3, 4])
    yield* TestClock.adjust(1)
    assert.strictEqual(total(yield* prune(store, "verifications", hour)), 3)
    assert.deepStrictEqual(yield* left, [4])
    const checks = [1, 2, 3, 4].map((index) => Samples.checkCode({ requestId: requestId(index) }))
    const checked = yield* transcript(store, checks)
    assert.deepStrictEqual(checked, ["NotFound", "NotFound", "NotFound", "Verified"])
    assert.strictEqual(total(yield* prune(store, "verifications", hour)), 1)
    assert.deepStrictEqual(yield* left, [])
    yield* sound(store)
  })

  test("pending requests do not keep later ones from being dropped", function* (store) {
    yield* open(store, money("100"))
    for (let index = 1; index <= 9; index++) {
      const committed = yield* run(store, asked(index, { expirySeconds: index <= 6 ? 86_400 : 60 }))
      assert.strictEqual(committed._tag, "Requested")
    }
    yield* TestClock.adjust(60_001)
    const minute = { keepMillis: 60_000, limit: 2 }
    assert.strictEqual(total(yield* prune(store, "verifications", minute)), 3)
    assert.strictEqual(total(yield* prune(store, "verifications", minute)), 0)
  })
}

/** A request with a number of its own, whose code expires after a minute. */
const requested = (index: number, id = requestId(index), expirySeconds = 60) =>
  asked(index, { requestId: id, expirySeconds })

/** Indexes of the requests that still have a sealed code. */
const sealedOf = (store: StoreService, ids: ReadonlyArray<Ids.RequestId>) =>
  Effect.map(
    Effect.forEach(ids, (id) => store.verification(organizationId, id)),
    (found) => found.flatMap((one, index) => (one?.verification.sealed ? [index] : [])),
  )

const erased = (store: StoreService, limit?: number) =>
  Effect.map(prune(store, "codes", limit === undefined ? {} : { limit }), total)

export const codeTests = (test: Test): void => {
  test("the sealed codes of expired requests are erased, and no others", function* (store) {
    yield* open(store, money("100"))
    const ids = times(9, requestId)
    for (const index of [1, 2, 3, 4, 5, 6]) {
      yield* run(store, requested(index, ids[index], index === 4 ? 3_600 : 60))
    }
    yield* run(store, Samples.checkCode({ requestId: requestId(6) }))
    assert.deepStrictEqual(yield* sealedOf(store, ids), [1, 2, 3, 4, 5])
    assert.strictEqual(yield* erased(store, 2), 0)
    yield* TestClock.adjust(60_000)
    const step = { organization: organizationId, kind: "codes", keepMillis: 0, limit: 2 } as const
    assert.deepInclude(yield* store.prune({ ...step, after: "3" }), { next: "5" })
    assert.strictEqual(yield* erased(store, 2), 3)
    assert.deepStrictEqual(yield* sealedOf(store, ids), [4])
    // Requests that follow a pending one are found in later steps, too.
    for (const index of [7, 8]) yield* run(store, requested(index))
    yield* TestClock.adjust(60_000)
    assert.strictEqual(yield* erased(store, 2), 2)
    assert.deepStrictEqual(yield* sealedOf(store, ids), [4])
    assert.strictEqual(yield* erased(store, 2), 0)
    yield* TestClock.adjust(3_600_000)
    assert.strictEqual(yield* erased(store, 2), 1)
    assert.deepStrictEqual(yield* sealedOf(store, ids), [])
    yield* sound(store)
  })

  test("a code is erased if an earlier id comes from a clock that is far ahead", function* (store) {
    yield* open(store)
    const future = Ids.sortable("vrf", Samples.now + 30 * day, new Uint8Array(Ids.randomBytes))
    const ids = [Ids.RequestId(future), ...times(4, (index) => requestId(index + 1))]
    for (const [index, id] of ids.entries()) {
      yield* run(store, requested(index + 1, id))
      yield* TestClock.adjust(60_000)
      assert.strictEqual(yield* erased(store), 1)
      assert.deepStrictEqual(yield* sealedOf(store, ids), [])
    }
  })

  test("no code stays if requests are committed while codes are erased", function* (store) {
    yield* open(store, money("100"))
    // Later ids are lower: the clock of their node is slow, or their commits came late.
    const ids = times(30, (index) => requestId(40 - index))
    const commands = ids.map((id, index) => requested(index + 1, id))
    const round = Effect.forEach([1, 2, 3, 4], () => erased(store, 3))
    for (const page of [commands.slice(0, 15), commands.slice(15)]) {
      yield* Effect.all([atOnce(store, page), round, round], { concurrency: "unbounded" })
      yield* TestClock.adjust(60_000)
    }
    yield* round
    assert.deepStrictEqual(yield* sealedOf(store, ids), [])
    yield* sound(store)
  })

  test("a message stays while its code is pending, and takes the expired code along", function* (store) {
    yield* open(store)
    const ids = [requestId(1), requestId(2), requestId(3)]
    for (const [index, expirySeconds] of [60, 3_600, 60].entries()) {
      yield* run(store, requested(index + 1, ids[index], expirySeconds))
      const outcome = { _tag: "Delivered", gatewayId: `gw-${index}` } as const
      yield* run(store, settled(index + 1, outcome))
    }
    const dropped = Effect.map(prune(store, "messages", { keepMillis: 0, limit: 2 }), total)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* dropped, 0)
    yield* TestClock.adjust(60_000)
    assert.strictEqual(yield* dropped, 1)
    assert.notInclude(yield* sealedOf(store, ids), 0)
    yield* TestClock.adjust(3_600_000)
    assert.strictEqual(yield* dropped, 2)
    assert.deepStrictEqual(yield* sealedOf(store, ids), [])
    yield* sound(store)
  })

  test("a clock that goes back erases no pending code", function* (store) {
    yield* open(store)
    yield* run(store, requested(1))
    yield* TestClock.setTime(Samples.now - 1_000)
    assert.strictEqual(yield* erased(store), 0)
    yield* TestClock.setTime(Samples.now + 60_000)
    assert.strictEqual(yield* erased(store), 1)
  })

  test("organizations are listed by the codes that they may have", function* (store) {
    const { otherOrganizationId } = Samples
    yield* open(store)
    yield* open(store, money("10"), otherOrganizationId)
    const listed = store.organizations(undefined, 9, "with codes")
    assert.deepStrictEqual(yield* listed, [])
    yield* run(store, requested(1))
    assert.deepStrictEqual(yield* listed, [organizationId])
    assert.strictEqual(yield* erased(store), 0)
    assert.deepStrictEqual(yield* listed, [organizationId])
    yield* TestClock.adjust(60_000)
    assert.strictEqual(yield* erased(store), 1)
    assert.deepStrictEqual(yield* listed, [])
    yield* run(store, { ...requested(2), organization: otherOrganizationId })
    assert.deepStrictEqual(yield* listed, [otherOrganizationId])
    assert.deepStrictEqual(yield* store.organizations(otherOrganizationId, 9, "with codes"), [])
  })
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

  test("a number is dropped when no window can reach back to it", function* (store) {
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
  })

  test("a number that is used again while it is being dropped stays counted", function* (store) {
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
      tagsOf(again),
      indexes.map((index) => (index % 3 === 0 ? "Limited" : "Admitted")),
    )
  })

  test("the sweep visits every number, a few in a step", function* (store) {
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
  })
}
