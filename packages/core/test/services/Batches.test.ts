import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "@effect/vitest"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Batch from "../../src/domain/outbox/Batch.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { Store } from "../../src/ports/Store.ts"
import { OutboxDelivery } from "../../src/jobs/OutboxDelivery.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import type { Recipient } from "../../src/api/PlainTypes.ts"
import { Batches, MaxRecipients, type SendManyInput } from "../../src/services/Batches.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { OptOuts } from "../../src/services/OptOuts.ts"
import { Outbox } from "../../src/services/Outbox.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import { moneyOf } from "../support/log.ts"
import { twoNodes } from "../support/nodes.ts"

const organization = Samples.organizationId

const numbers = (count: number, from = 0): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `+88017${String(10_000_000 + from + index)}`)

/** The first `count` recipients, and then an error. */
const dying = async function* (given: ReadonlyArray<string>, count: number) {
  yield* given.slice(0, count)
  throw new Error("The process dies")
}

const sendMany = (recipients: SendManyInput["recipients"], more: Partial<SendManyInput> = {}) =>
  Batches.use((_) => _.sendMany({ organization, recipients, text: "Hello", ...more }))

const estimate = (recipients: SendManyInput["recipients"], more: Partial<SendManyInput> = {}) =>
  Batches.use((_) => _.estimate({ organization, recipients, text: "Hello", ...more }))

const round = Effect.scoped(OutboxDelivery.use((_) => _.round))
const upkeep = OutboxDelivery.use((_) => _.upkeep)
const ref = (id: string) => ({ organization, id })
const get = (id: string) => Batches.use((_) => _.get(ref(id)))
const pause = (id: string) => Batches.use((_) => _.pause(ref(id)))
const resume = (id: string) => Batches.use((_) => _.resume(ref(id)))
const cancel = (id: string) => Batches.use((_) => _.cancel(ref(id)))

const atMost = <A, E, R>(max: number, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, MaxRecipients, max)

/** Takes and sends until nothing is due. */
const drained: Effect.Effect<number, unknown, OutboxDelivery> = Effect.gen(function* () {
  let sent = 0
  for (;;) {
    const taken = yield* round
    if (taken === 0) return sent
    sent += taken
  }
})

const textsOf = (phoneNumber: string) =>
  Effect.map(
    SimulatedGateway.use((_) => _.journal(PhoneNumber.fromE164(phoneNumber))),
    (journal) => journal.map(({ text }) => text),
  )

const eventTags = Effect.map(
  EventLog.use((_) => _.list({ organization, limit: 1_000 })),
  ({ events }) => events.map(({ _tag }) => _tag).filter((tag) => tag.startsWith("Batch")),
)

describe("sendMany", () => {
  engineTest("of promotional messages sends none to a number that has opted out", function* () {
    yield* TestEngine.open()
    const [first = "", second = ""] = numbers(2)
    yield* OptOuts.use((_) => _.add({ organization, phoneNumbers: [first] }))
    const { batchId } = yield* sendMany([first, second], { class: "promotional" })
    assert.strictEqual(yield* drained, 2)
    assert.deepStrictEqual([yield* textsOf(first), yield* textsOf(second)], [[], ["Hello"]])
    const { outcomes } = yield* get(batchId)
    assert.deepStrictEqual(
      outcomes.map(({ count, outcome }) => [outcome, count]),
      [
        ["delivered", 1],
        ["refused", 1],
      ],
    )
  })

  engineTest("sends each number one message, and counts what comes of them", function* () {
    yield* TestEngine.open()
    const given = [...numbers(3), ...numbers(1), "12"]
    const written = yield* sendMany(given)
    assert.deepInclude(written, { recipients: 3, duplicates: 1, refused: 1 })
    assert.deepStrictEqual(
      written.refusedRows.map(({ phoneNumber, position }) => ({ phoneNumber, position })),
      [{ phoneNumber: "12", position: 5 }],
    )
    assert.deepInclude(written.estimate, { price: Money.make("1.5"), isCovered: true })
    const { batchId } = written
    assert.deepInclude(yield* get(batchId), { status: "running", queued: 3, outcomes: [] })
    assert.strictEqual(yield* drained, 3)
    yield* upkeep
    const done = yield* get(batchId)
    assert.deepInclude(done, { status: "done", queued: 0, spent: Money.make("1.5") })
    assert.deepStrictEqual(
      done.outcomes.map(({ count, outcome }) => ({ count, outcome })),
      [{ count: 3, outcome: "delivered" }],
    )
    assert.strictEqual(yield* moneyOf(organization), "98.50 + 0.00 held, 7 entries")
    assert.deepStrictEqual(yield* eventTags, ["BatchDone"])
  })

  engineTest("fills placeholders, and refuses rows whose values are missing", function* () {
    yield* TestEngine.open()
    const [first = "", second = ""] = numbers(2)
    const rows: ReadonlyArray<Recipient> = [
      { phoneNumber: first, values: { name: "Rahim", due: 5 } },
      { phoneNumber: second, values: { due: 5 } },
      { phoneNumber: second, text: "Own" },
    ]
    const written = yield* sendMany(rows, { text: "{name}: {due}" })
    assert.deepInclude(written.refusedRows[0], {
      reason: "values.name is required",
      problems: { "values.name": [{ code: "required", params: {}, message: "is required" }] },
    })
    yield* drained
    assert.deepStrictEqual(yield* textsOf(first), ["Rahim: 5"])
    assert.deepStrictEqual(yield* textsOf(second), ["Own"])
  })

  engineTest("goes on after a call that has died, under its key", function* () {
    yield* TestEngine.open({ balance: Money.make("5000") })
    const all = numbers(2 * Batch.blockSize + 7)
    const given = [...all, ...all.slice(0, 5), "1"]
    const key = { idempotencyKey: "newsletter" }
    yield* Effect.exit(sendMany(dying(given, Batch.blockSize + 1), key))
    assert.strictEqual(yield* round, 0)
    const written = yield* sendMany(given, key)
    assert.deepInclude(written, { recipients: all.length, duplicates: 5, refused: 1 })
    const again = yield* sendMany(given, key)
    assert.deepStrictEqual(again, written)
    const other = yield* Effect.flip(sendMany(given.toReversed(), key))
    assert.strictEqual(other._tag, "IdempotencyMismatch")
    const fewer = yield* Effect.flip(sendMany(given.slice(0, 5), key))
    assert.strictEqual(fewer._tag, "IdempotencyMismatch")
    const changed = yield* Effect.flip(sendMany(given, { ...key, text: "Other" }))
    assert.strictEqual(changed._tag, "IdempotencyMismatch")
  })

  engineTest("with the key of another batch leaves that one as it is", function* () {
    yield* TestEngine.open({ balance: Money.make("5000") })
    const given = numbers(Batch.blockSize + 1)
    const key = { idempotencyKey: "newsletter" }
    yield* Effect.exit(sendMany(dying(given, Batch.blockSize), key))
    const other = yield* Effect.flip(sendMany(given.toReversed(), key))
    assert.strictEqual(other._tag, "IdempotencyMismatch")
    assert.deepInclude(yield* sendMany(given, key), { recipients: given.length })
  })

  effectTest("goes on under its key after the store was away for long", function* () {
    const memory = MemoryStore.make()
    const asked = yield* Deferred.make<void>()
    let isAway = false
    const store = Store.of({
      ...memory,
      execute: (command) =>
        isAway && command._tag === "AddToBatch"
          ? Effect.andThen(
              Deferred.succeed(asked, undefined),
              new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 }),
            )
          : memory.execute(command),
    })
    const { here } = yield* twoNodes({}, store)
    yield* here(TestEngine.open({ balance: Money.make("5000") }))
    const given = numbers(Batch.blockSize + 1)
    const leaving = async function* () {
      yield* given.slice(0, Batch.blockSize)
      isAway = true
      yield* given.slice(Batch.blockSize)
    }
    const key = { idempotencyKey: "newsletter" }
    const failing = yield* Effect.forkChild(Effect.flip(here(sendMany(leaving(), key))), {
      startImmediately: true,
    })
    yield* Deferred.await(asked)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* Fiber.join(failing))._tag, "StoreUnavailable")
    isAway = false
    assert.deepInclude(yield* here(sendMany(given, key)), { recipients: given.length })
  })

  engineTest("that no call can continue is cancelled", function* () {
    yield* TestEngine.open()
    const given = numbers(Batch.blockSize + 1)
    yield* Effect.exit(sendMany(dying(given, Batch.blockSize)))
    const [batch] = (yield* Batches.use((_) => _.list({ organization }))).batches
    assert.strictEqual(batch?.status, "cancelled")
  })

  engineTest("that no call has continued for a day is cancelled", function* () {
    yield* TestEngine.open()
    const given = numbers(Batch.blockSize + 1)
    const key = { idempotencyKey: "newsletter" }
    yield* Effect.exit(sendMany(dying(given, Batch.blockSize), key))
    const status = Effect.gen(function* () {
      yield* upkeep
      return (yield* Batches.use((_) => _.list({ organization }))).batches[0]?.status
    })
    yield* TestClock.setTime(86_399_999)
    assert.strictEqual(yield* status, "writing")
    yield* TestClock.setTime(86_400_000)
    assert.strictEqual(yield* status, "cancelled")
    yield* upkeep
    const error = yield* Effect.flip(sendMany(given, key))
    assert.deepInclude(error, { _tag: "BatchUnchangeable", state: "cancelled" })
  })

  engineTest("refuses what is empty, too much or without a valid number", function* () {
    yield* TestEngine.open()
    const codeOf = (given: SendManyInput["recipients"], more: Partial<SendManyInput> = {}) =>
      Effect.map(Effect.flip(sendMany(given, more)), (error) =>
        error._tag === "InvalidRequest"
          ? Object.entries(error.details).map(([field, [first]]) => `${field} ${first?.code}`)
          : [error._tag],
      )
    assert.deepStrictEqual(yield* codeOf([]), ["recipients empty"])
    assert.deepStrictEqual(yield* codeOf(["1"]), ["recipients no_valid_recipient"])
    assert.deepStrictEqual(yield* atMost(2, codeOf(numbers(3))), ["recipients too_many"])
    assert.deepStrictEqual(yield* codeOf(numbers(1), { pace: 0 }), ["pace out_of_range"])
    assert.deepStrictEqual(yield* codeOf(numbers(1), { sendAt: 40 * 86_400_000 }), [
      "sendAt too_far_ahead",
    ])
    const { batches } = yield* Batches.use((_) => _.list({ organization }))
    assert.deepStrictEqual(batches, [])
  })

  engineTest("drops what it has written if there are too many", function* () {
    yield* TestEngine.open()
    const many = numbers(Batch.blockSize + 1)
    yield* atMost(Batch.blockSize, Effect.flip(sendMany(many)))
    const { batches } = yield* Batches.use((_) => _.list({ organization }))
    assert.deepInclude(batches[0], { status: "cancelled", recipients: Batch.blockSize })
    yield* upkeep
    assert.strictEqual(yield* drained, 0)
  })

  engineTest("estimates without writing anything", function* () {
    yield* TestEngine.open({ balance: Money.make("1") })
    const found = yield* estimate([...numbers(3), ...numbers(2), "x"])
    assert.deepInclude(found, { recipients: 3, duplicates: 2, refused: 1 })
    assert.deepStrictEqual(found.estimate, {
      segments: 3,
      price: Money.make("1.5"),
      balance: Money.make("1"),
      isCovered: false,
    })
    const { batches } = yield* Batches.use((_) => _.list({ organization }))
    assert.deepStrictEqual(batches, [])
  })

  engineTest("waits until its time", function* () {
    yield* TestEngine.open()
    yield* sendMany(numbers(2), { sendAt: 60_000 })
    yield* TestClock.setTime(59_999)
    assert.strictEqual(yield* drained, 0)
    yield* TestClock.setTime(60_000)
    assert.strictEqual(yield* drained, 2)
  })
})

describe("a batch", () => {
  engineTest("keeps its pace, and makes up for no pause", function* () {
    yield* TestEngine.open()
    const { batchId } = yield* sendMany(numbers(40), { pace: 5 })
    const perSecond: Array<number> = []
    for (let second = 0; second < 4; second++) {
      perSecond.push(yield* drained)
      yield* TestClock.adjust("1 second")
    }
    assert.deepStrictEqual(perSecond, [5, 5, 5, 5])
    assert.deepInclude(yield* get(batchId), { secondsLeft: 4, secondsLeftBy: "pace" })
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* drained, 5)
  })

  engineTest("tells how long it takes by the time in which it was sending", function* () {
    yield* TestEngine.open()
    const { batchId } = yield* sendMany(numbers(12))
    const left = Effect.map(get(batchId), ({ secondsLeft, secondsLeftBy }) => [
      secondsLeft,
      secondsLeftBy,
    ])
    const unknown = [null, null]
    const sendOne = Effect.gen(function* () {
      const share = { organization, queue: batchId, limit: 1 }
      const [taken] = yield* Store.use((_) => _.takeQueued([share], 3_600_000))
      if (taken === undefined) assert.fail("nothing is due")
      yield* Outbox.use((_) => _.handle(taken, 0))
    })
    assert.deepStrictEqual(yield* left, unknown)
    for (let second = 0; second < 4; second++) {
      yield* TestClock.adjust("10 seconds")
      yield* sendOne
    }
    const by10 = [80, "rate"] as const
    assert.deepEqual<unknown>(yield* left, by10)
    yield* pause(batchId)
    assert.deepStrictEqual(yield* left, unknown)
    yield* TestClock.adjust("5 hours")
    yield* resume(batchId)
    assert.deepEqual<unknown>(yield* left, by10)
    yield* TestClock.adjust("5 hours")
    assert.deepStrictEqual(yield* left, unknown)
    yield* sendOne
    assert.deepStrictEqual(yield* left, [56, "rate"])
  })

  engineTest("with a time to send takes the wait as well", function* () {
    yield* TestEngine.open()
    const { batchId } = yield* sendMany(numbers(10), { pace: 5, sendAt: 7_200_000 })
    yield* TestClock.adjust("1 hour")
    assert.deepInclude(yield* get(batchId), { secondsLeft: 3_602, secondsLeftBy: "pace" })
  })

  engineTest("sends nothing while it is paused, and the rest afterwards", function* () {
    yield* TestEngine.open()
    const { batchId } = yield* sendMany(numbers(4))
    yield* pause(batchId)
    assert.deepInclude(yield* get(batchId), { status: "paused", pausedReason: "caller" })
    assert.strictEqual(yield* drained, 0)
    yield* resume(batchId)
    assert.strictEqual(yield* drained, 4)
    yield* upkeep
    const error = yield* Effect.flip(pause(batchId))
    assert.deepInclude(error, { _tag: "BatchUnchangeable", state: "done" })
  })

  effectTest(
    "that is cancelled drops its messages, also those that a node has taken",
    function* () {
      const { here, store, there } = yield* twoNodes()
      yield* here(TestEngine.open())
      const { batchId } = yield* here(sendMany(numbers(Batch.blockSize + 5)))
      const [taken] = yield* store.takeQueued([{ organization, queue: batchId, limit: 1 }], 30_000)
      yield* there(cancel(batchId))
      if (taken !== undefined) yield* here(Outbox.use((_) => _.handle(taken, 0)))
      yield* there(upkeep)
      const ended = yield* here(get(batchId))
      assert.deepInclude(ended, { status: "cancelled", queued: 0, spent: Money.zero })
      assert.deepInclude(ended.outcomes[0], { outcome: "cancelled", count: Batch.blockSize + 5 })
      assert.strictEqual(yield* here(moneyOf(organization)), "100.00 + 0.00 held, 1 entries")
    },
  )

  engineTest("pauses if the balance does not cover it, and refuses no message", function* () {
    yield* TestEngine.open({ balance: Money.make("1") })
    const { batchId } = yield* sendMany(numbers(5))
    yield* drained
    const paused = yield* get(batchId)
    assert.deepInclude(paused, { status: "paused", pausedReason: "balance", queued: 3 })
    yield* Accounts.use((_) => _.topUp({ organization, amount: Money.make("10") }))
    yield* resume(batchId)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* drained, 3)
    yield* upkeep
    assert.deepInclude(yield* get(batchId), { status: "done", queued: 0 })
    assert.deepStrictEqual(yield* eventTags, ["BatchPaused", "BatchDone"])
  })

  engineTest("is listed with its counts, newest first", function* () {
    yield* TestEngine.open()
    const ids: Array<string> = []
    for (let index = 0; index < 3; index++) {
      ids.unshift((yield* sendMany(numbers(1, index))).batchId)
      yield* TestClock.adjust(1)
    }
    const first = yield* Batches.use((_) => _.list({ organization, limit: 2 }))
    const second = yield* Batches.use((_) => _.list({ organization, cursor: first.next }))
    const found = [...first.batches, ...second.batches].map(({ id }) => id)
    assert.deepStrictEqual(found, ids)
    assert.strictEqual(second.next, undefined)
    assert.strictEqual((yield* Effect.flip(get("bat_1")))._tag, "BatchNotFound")
  })
})
