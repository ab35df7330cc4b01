import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Store } from "../../src/ports/Store.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import * as Engine from "../../src/Engine.ts"
import { EventLog, pageSize, pollInterval } from "../../src/services/EventLog.ts"
import { engineTest, recording, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId
const amount = Samples.money("1")

const topUp = Accounts.use((_) => _.topUp({ organization, amount }))

/** The sequences that a follower has read so far. */
const following = Effect.fnUntraced(function* (after?: number) {
  const log = yield* EventLog
  const read: Array<number> = []
  const fiber = yield* log.follow({ organization, after }).pipe(
    Stream.runForEach(({ sequence }) => Effect.sync(() => read.push(sequence))),
    Effect.forkScoped({ startImmediately: true }),
  )
  yield* TestClock.adjust(0)
  return { fiber, read }
})

describe("EventLog", () => {
  engineTest("is read from any place, and says how far it reaches", function* () {
    yield* TestEngine.open()
    const log = yield* EventLog
    const all = yield* log.list({ organization })
    assert.deepStrictEqual(
      all.events.map(({ _tag, sequence }) => `${sequence} ${_tag}`),
      ["1 BrandChanged", "2 BrandChanged", "3 ToppedUp", "4 KeyCreated"],
    )
    const page = yield* log.list({ organization, after: 2, limit: 1 })
    assert.deepStrictEqual(page, { first: 1, last: 4, events: all.events.slice(2, 3) })
    const unknown = yield* Effect.flip(log.list({ organization: OrganizationId("unknown") }))
    assert.strictEqual(unknown._tag, "OrganizationNotFound")
  })

  it.effect(
    "gives a follower what it has missed, and then each commit of this process at once",
    () =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        const { read } = yield* following(2)
        assert.deepStrictEqual(read, [3, 4])
        yield* topUp
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(read, [3, 4, 5])
        yield* Effect.all([topUp, topUp, topUp], { concurrency: "unbounded" })
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(read, [3, 4, 5, 6, 7, 8])
      }).pipe(Effect.scoped, Effect.provide(TestEngine.layer())),
  )

  engineTest("gives a follower the commits of another node within a second", function* () {
    yield* TestEngine.open()
    const other = yield* Layer.build(Layer.fresh(Engine.layer))
    const { read } = yield* following(4)
    yield* Effect.provide(topUp, other)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(read, [])
    yield* TestClock.adjust(pollInterval)
    assert.deepStrictEqual(read, [5])
  })

  engineTest("is followed over many pages without a gap", function* () {
    yield* TestEngine.open()
    const count = 2 * pageSize + 7
    yield* Effect.replicateEffect(topUp, count)
    const { read } = yield* following()
    assert.deepStrictEqual(
      read,
      Array.from({ length: count + 4 }, (_, index) => index + 1),
    )
  })

  const failing = (failures: number) => {
    const memory = MemoryStore.make()
    let left = failures
    const events: Store["Service"]["events"] = (...args) =>
      Effect.suspend(() =>
        left-- > 0
          ? Effect.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 }))
          : memory.events(...args),
      )
    return TestEngine.layer({ store: Layer.succeed(Store, { ...memory, events }) })
  }

  testOn(failing(3))("is followed across a short failure of the store", function* () {
    yield* TestEngine.open()
    const { read } = yield* following()
    assert.deepStrictEqual(read, [])
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(read, [1, 2, 3, 4])
  })

  testOn(failing(Infinity))("fails a follower when the store stays unavailable", function* () {
    yield* TestEngine.open()
    const { fiber } = yield* following()
    yield* TestClock.adjust("1 minute")
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.strictEqual(error._tag, "StoreUnavailable")
  })

  testOn(recording({ events: false }))("is empty if the records are switched off", function* () {
    yield* TestEngine.open()
    const log = yield* EventLog
    assert.deepStrictEqual(yield* log.list({ organization }), { first: 1, last: 0, events: [] })
  })
})
