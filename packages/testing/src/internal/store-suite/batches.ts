import type { Command } from "@countersign/core/decide/Command"
import * as Batch from "@countersign/core/domain/outbox/Batch"
import type { Claimed, QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import * as Money from "@countersign/core/domain/values/Money"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { prune } from "./prune.ts"
import { open, present, run, type StoreService, type Test, times } from "./support.ts"

const { batchId, messageId, now, organizationId, otherOrganizationId, queuedSend } = Samples

const queue = { organization: organizationId, queue: batchId() }

const { terms } = Samples.openBatch()

const ref = (index = 1) => ({ organization: organizationId, batchId: batchId(index) })

const opening = (index = 1, more: Partial<Batch.BatchTerms> = {}) =>
  Samples.openBatch({ batchId: batchId(index), terms: { ...terms, ...more } })

const block = (
  place: number,
  messages: ReadonlyArray<number>,
  more: Partial<Command<"AddToBatch">> = {},
): Command<"AddToBatch"> => ({
  _tag: "AddToBatch",
  ...ref(),
  block: place,
  chain: Uint8Array.of(place),
  refused: 1,
  sends: messages.map((index) => ({
    send: queuedSend({ id: messageId(index), queue: batchId() }),
    segments: 2,
    price: Money.make("1"),
  })),
  ...more,
})

const changing = (change: Batch.Change, index = 1) =>
  Samples.changeBatch({ batchId: batchId(index), change })

/** An open organization with a batch of some messages. */
const written = Effect.fnUntraced(function* (store: StoreService, messages: number) {
  yield* open(store)
  yield* run(store, opening())
  yield* run(
    store,
    block(
      0,
      times(messages, (index) => index + 1),
    ),
  )
  yield* run(store, changing("start"))
})

const take = (store: StoreService, limit = 10) => store.takeQueued([{ ...queue, limit }], 30_000)

const hold = (index: number, more: Partial<Claimed> = {}) =>
  Samples.holdMessage({
    queued: { id: messageId(index), ...more },
    draft: { id: messageId(index), batch: batchId() },
  })

const totals = (store: StoreService) =>
  Effect.map(store.batchTotals(organizationId, [batchId(), batchId(9)]), (rows) =>
    rows
      .filter(({ count }) => count !== 0)
      .map(({ amount, count, outcome }) => `${outcome} ${count} ${Money.format(amount)}`)
      .toSorted(),
  )

const one = (store: StoreService, index = 1) =>
  Effect.map(store.batch(organizationId, batchId(index)), present)

export const batchesSection = (test: Test): void => {
  test("a batch is stored as it is, and opened once", function* (store) {
    yield* open(store)
    const opened = yield* run(store, opening())
    const made = Batch.make(
      { organization: organizationId, id: batchId() },
      terms,
      { fingerprint: Uint8Array.of(1, 2), salt: Uint8Array.of(3) },
      now,
    )
    assert.deepStrictEqual(opened, { _tag: "BatchChanged", batch: made })
    assert.deepStrictEqual(yield* one(store), made)
    const again = yield* run(store, { ...opening(), salt: Uint8Array.of(4) })
    assert.deepStrictEqual(again, opened)
    const other = yield* run(store, { ...opening(), fingerprint: Uint8Array.of(2) })
    assert.strictEqual(other._tag, "BatchMismatch")
    assert.isUndefined(yield* store.batch(otherOrganizationId, batchId()))
  })

  test("a block is written with its messages, each of them once", function* (store) {
    yield* open(store)
    yield* run(store, opening())
    yield* run(store, block(0, [1, 2, 2]))
    yield* run(store, block(0, [1, 2, 2]))
    const other = yield* run(store, block(0, [1], { chain: Uint8Array.of(7) }))
    assert.strictEqual(other._tag, "BatchMismatch")
    yield* run(store, block(1, [2, 3]))
    assert.deepInclude(yield* one(store), {
      blocks: 2,
      chain: Uint8Array.of(1),
      recipients: 3,
      duplicates: 2,
      refused: 2,
      segments: 6,
      estimate: Money.make("3"),
    })
    const { found } = yield* store.queuedPage(queue, undefined, 10)
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      [1, 2, 3].map(messageId),
    )
    assert.deepStrictEqual(yield* store.openQueued(queue, 2), [1, 2].map(messageId))
    const late = yield* run(store, block(3, [4]))
    assert.strictEqual(late._tag, "BatchUnchangeable")
  })

  test("messages of a batch count once they are charged, and move to their outcome", function* (store) {
    yield* written(store, 3)
    for (const index of [1, 2]) yield* run(store, hold(index))
    assert.deepStrictEqual(yield* totals(store), ["pending 2 1.00"])
    yield* run(store, Samples.recordDispatch({ messageSequence: 1 }))
    yield* run(store, Samples.endQueued({ queued: { id: messageId(3) }, end: "cancelled" }))
    assert.deepStrictEqual(yield* totals(store), [
      "accepted 1 0.50",
      "cancelled 1 0.00",
      "pending 1 0.50",
    ])
  })

  test("a row that a node has taken decides only while it is as it was", function* (store) {
    yield* written(store, 3)
    const byId = (rows: ReadonlyArray<QueuedSend>) =>
      rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const first = byId(yield* take(store))
    yield* TestClock.adjust(30_000)
    const second = byId(yield* take(store))
    const holdTaken = (index: number, row: QueuedSend | undefined) =>
      run(store, hold(index, { ...(row && { claim: row.claim, row }) }))
    // Another node has taken it again.
    assert.strictEqual((yield* holdTaken(1, first[0]))._tag, "NotQueued")
    assert.strictEqual((yield* holdTaken(1, second[0]))._tag, "Held")
    // It has become a message, and its row is gone.
    assert.isUndefined(yield* store.queued(organizationId, messageId(1)))
    assert.strictEqual((yield* holdTaken(1, second[0]))._tag, "NotQueued")
    yield* run(store, Samples.endQueued({ queued: { id: messageId(2) } }))
    assert.strictEqual((yield* holdTaken(2, second[1]))._tag, "NotQueued")
    assert.strictEqual((yield* holdTaken(3, second[2]))._tag, "Held")
    assert.deepStrictEqual(yield* totals(store), ["cancelled 1 0.00", "pending 2 1.00"])
  })

  test("each message is read by one node, and taken when the lease is over", function* (store) {
    yield* written(store, 5)
    const lease = 30_000
    const next = (limit: number) => store.nextOfBatch({ ...queue, limit }, lease)
    const idsOf = (rows: ReadonlyArray<QueuedSend>) => rows.map(({ id }) => id)
    const before = yield* store.queued(organizationId, messageId(1))
    const first = yield* next(2)
    assert.deepStrictEqual(idsOf(first), [1, 2].map(messageId))
    for (const send of first) assert.deepInclude(send, { claim: 0, dueAt: now + lease })
    assert.deepStrictEqual(yield* store.queued(organizationId, messageId(1)), before)
    const rest = yield* Effect.all([next(1), next(2)], { concurrency: 2 })
    assert.sameMembers(idsOf(rest.flat()), [3, 4, 5].map(messageId))
    assert.deepStrictEqual(yield* next(1), [])
    assert.deepStrictEqual(yield* take(store), [])
    const [one, two] = first
    assert.strictEqual((yield* run(store, hold(1, { claim: 0, row: one })))._tag, "Held")
    yield* TestClock.adjust(lease - 1)
    assert.deepStrictEqual(yield* take(store), [])
    yield* TestClock.adjust(1)
    const left = yield* take(store)
    assert.sameMembers(idsOf(left), [2, 3, 4, 5].map(messageId))
    for (const { claim } of left) assert.strictEqual(claim, 1)
    assert.strictEqual((yield* run(store, hold(2, { claim: 0, row: two })))._tag, "NotQueued")
    assert.deepStrictEqual(yield* next(1), [])
  })

  test("a message is not read before its time, and not after a change of it", function* (store) {
    yield* written(store, 3)
    const next = store.nextOfBatch({ ...queue, limit: 9 }, 30_000)
    const queued = { id: messageId(1) }
    yield* run(store, Samples.moveQueued({ queued, dueAt: now + 1 }))
    yield* run(store, Samples.endQueued({ queued: { id: messageId(2) }, end: "cancelled" }))
    assert.deepStrictEqual(
      (yield* next).map(({ id }) => id),
      [messageId(3)],
    )
    assert.deepStrictEqual(
      yield* store.nextOfBatch(
        { organization: otherOrganizationId, queue: batchId(), limit: 1 },
        1,
      ),
      [],
    )
  })

  test("nothing of a batch that is paused or cancelled is charged", function* (store) {
    yield* written(store, 3)
    const [taken] = yield* take(store, 1)
    yield* run(store, changing("pause"))
    assert.strictEqual((yield* run(store, hold(1)))._tag, "NotQueued")
    yield* run(store, changing("resume"))
    assert.strictEqual((yield* run(store, hold(1)))._tag, "Held")
    yield* run(store, changing("cancel"))
    assert.strictEqual((yield* run(store, hold(2)))._tag, "NotQueued")
    const ids = yield* store.openQueued(queue, 10)
    assert.strictEqual(ids.length, 2)
    const dropped = yield* run(store, {
      _tag: "DropQueued",
      ...ref(),
      ids: [...ids, ...(taken === undefined ? [] : [taken.id])],
    })
    assert.deepStrictEqual(dropped, { _tag: "Dropped", count: 2 })
    assert.deepStrictEqual(yield* store.openQueued(queue, 10), [])
    assert.deepStrictEqual(yield* totals(store), ["cancelled 2 0.00", "pending 1 0.50"])
  })

  test("a pace grants a number a second to all nodes together", function* (store) {
    yield* open(store)
    yield* run(store, opening(1, { pace: 10_000 }))
    yield* run(store, changing("start"))
    const pace = (wanted: number): Command<"PaceBatch"> => ({ _tag: "PaceBatch", ...ref(), wanted })
    const granted = yield* Effect.all(
      [run(store, pace(9_000)), run(store, pace(9_000)), run(store, pace(9_000))],
      { concurrency: 3 },
    )
    const counts = granted.map((result) => ("count" in result ? result.count : 0))
    assert.deepStrictEqual(counts.toSorted(), [0, 1_000, 9_000])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* run(store, pace(99)), { _tag: "Granted", count: 10 })
  })

  test("batches are listed by their age, and open ones by their place", function* (store) {
    yield* open(store)
    for (const index of [3, 1, 2]) yield* run(store, opening(index))
    yield* TestClock.adjust(1)
    yield* run(store, opening(4))
    const listed = (before: Parameters<StoreService["batches"]>[1], limit: number) =>
      Effect.map(store.batches(organizationId, before, limit), (found) => found.map(({ id }) => id))
    assert.deepStrictEqual(yield* listed(undefined, 3), [4, 3, 2].map(batchId))
    const place = { createdAt: now, id: batchId(2) }
    assert.deepStrictEqual(yield* listed(place, 3), [1].map(batchId))
    assert.deepStrictEqual(yield* store.batches(otherOrganizationId, undefined, 3), [])
    yield* run(store, changing("start"))
    yield* run(store, changing("finish"))
    const first = yield* store.openBatches(undefined, 2)
    const second = yield* store.openBatches(first.at(-1), 2)
    assert.deepStrictEqual(
      [first, second].map((page) => page.map(({ id }) => id)),
      [[2, 3].map(batchId), [4].map(batchId)],
    )
  })

  test("a batch stays while messages of it may wait, and takes its totals along", function* (store) {
    yield* written(store, 1)
    yield* run(store, hold(1))
    yield* run(store, opening(2))
    yield* TestClock.adjust(10_000)
    const options = { keepMillis: 5_000, limit: 10 }
    assert.deepStrictEqual(yield* prune(store, "batches", options), [0])
    assert.deepStrictEqual(yield* totals(store), ["pending 1 0.50"])
    yield* run(store, changing("finish"))
    assert.deepStrictEqual(yield* prune(store, "batches", options), [1])
    assert.deepStrictEqual(yield* totals(store), [])
    assert.isUndefined(yield* store.batch(organizationId, batchId()))
    assert.strictEqual((yield* one(store, 2)).status, "writing")
  })
}
