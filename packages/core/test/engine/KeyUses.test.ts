import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Access } from "../../src/engine/Access.ts"
import { ApiKeys } from "../../src/services/ApiKeys.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import { ApiKeyId } from "../../src/domain/values/Ids.ts"
import * as KeyUses from "../../src/engine/KeyUses.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { type KeyUse, Store } from "../../src/ports/Store.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const unavailable = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
const pause = Duration.toMillis(KeyUses.pause)
const organization = Samples.organizationId
const id = Samples.apiKey().id
const use = (at: number, key = id): KeyUse => ({ organization, id: key, at })

/** The service of one node, and the writes that reach its store, which has an `outage`. */
const node = Effect.gen(function* () {
  const writes: Array<ReadonlyArray<KeyUse>> = []
  const counted: Array<ReadonlyArray<string>> = []
  const state: { outage: "fails" | "hangs" | undefined } = { outage: undefined }
  const store = Layer.succeed(Store, {
    ...MemoryStore.make(),
    recordKeyUses: (uses) =>
      Effect.suspend(() => {
        writes.push(uses)
        if (state.outage === "hangs") return Effect.never
        return state.outage === "fails" ? Effect.fail(unavailable) : Effect.void
      }),
    addCounters: (counters) =>
      Effect.sync(() => {
        counted.push(counters.map(({ count, subject }) => `${subject} ${count}`))
      }),
  })
  const scope = yield* Scope.make()
  const layer = KeyUses.layerBackground.pipe(
    Layer.provideMerge(KeyUses.layer),
    Layer.provide(store),
  )
  const context = yield* Layer.buildWithScope(layer, scope)
  const service = yield* Effect.provide(KeyUses.KeyUses, context)
  const note = (at: number, key = id) => service.note(organization, key, at)
  return { counted, note, state, writes, close: Scope.close(scope, Exit.void) }
})

describe("KeyUses", () => {
  effectTest("writes a use after a short pause, together with those of other keys", function* () {
    const { note, writes } = yield* node
    const other = ApiKeyId("other")
    note(0)
    note(1, other)
    yield* TestClock.adjust(pause - 1)
    assert.deepStrictEqual(writes, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(writes, [[use(0), use(1, other)]])
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(writes, 1)
  })

  effectTest("counts all requests, and writes the rest when a minute is over", function* () {
    const { counted, note, writes } = yield* node
    note(0)
    yield* TestClock.adjust(pause)
    assert.deepStrictEqual(counted, [[`${id} 1`]])
    for (const at of [2_000, 3_000, 4_000]) note(at)
    yield* TestClock.adjust("30 seconds")
    assert.lengthOf(counted, 1)
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual(counted, [[`${id} 1`], [`${id} 3`]])
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(writes, [[use(0)], [use(4_000)]])
  })

  effectTest("keeps the counts of a write that fails, and writes all when it closes", function* () {
    const { close, counted, note, state } = yield* node
    state.outage = "fails"
    note(0)
    note(1)
    yield* TestClock.adjust(pause)
    state.outage = undefined
    yield* TestClock.adjust(pause)
    assert.deepStrictEqual(counted, [[`${id} 2`]])
    note(2)
    yield* close
    assert.deepStrictEqual(counted, [[`${id} 2`], [`${id} 1`]])
  })

  effectTest("writes a key at most once a minute, however often it is used", function* () {
    const { note, writes } = yield* node
    for (let at = 0; at < 180_000; at += 500) {
      note(at)
      yield* TestClock.adjust(500)
    }
    assert.deepStrictEqual(writes, [[use(0)], [use(60_000)], [use(120_000)]])
  })

  effectTest("notes the next use after a clock was set back", function* () {
    const { note, writes } = yield* node
    note(1_000_000)
    yield* TestClock.adjust(pause)
    note(0)
    yield* TestClock.adjust(pause)
    assert.deepStrictEqual(writes, [[use(1_000_000)], [use(0)]])
  })

  effectTest("keeps the uses that could not be written, and the later one of a key", function* () {
    const { note, state, writes } = yield* node
    const other = ApiKeyId("other")
    state.outage = "fails"
    note(0)
    note(0, other)
    yield* TestClock.adjust(60_000)
    assert.lengthOf(writes, 60_000 / pause)
    note(60_000)
    state.outage = undefined
    writes.length = 0
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(writes, [[use(60_000), use(0, other)]])
  })

  effectTest("waits with a bounded number of uses, in writes of a bounded size", function* () {
    const { note, state, writes } = yield* node
    state.outage = "fails"
    for (let key = 0; key <= KeyUses.maxWaiting; key++) note(0, ApiKeyId(String(key)))
    yield* TestClock.adjust(pause)
    state.outage = undefined
    writes.length = 0
    yield* TestClock.adjust(pause)
    assert.deepStrictEqual(
      writes.map(({ length }) => length),
      Array.from({ length: 10 }, () => 1_000),
    )
    assert.strictEqual(writes.flat().length, KeyUses.maxWaiting)
    // The one that found no room is noted at the next request.
    note(1, ApiKeyId(String(KeyUses.maxWaiting)))
    yield* TestClock.adjust(pause)
    assert.deepStrictEqual(writes.at(-1), [use(1, ApiKeyId(String(KeyUses.maxWaiting)))])
  })

  effectTest("writes what it has noted when the engine closes", function* () {
    const { close, note, writes } = yield* node
    note(0)
    yield* close
    assert.deepStrictEqual(writes, [[use(0)]])
  })

  effectTest.each(["fails", "hangs"] as const)("closes while the store %s", function* (outage) {
    const { close, note, state } = yield* node
    state.outage = outage
    note(0)
    const closing = yield* Effect.forkChild(close, { startImmediately: true })
    yield* TestClock.adjust(KeyUses.closingTime)
    yield* Fiber.join(closing)
  })
})

describe("The last use of a key", () => {
  testOn(TestEngine.layer({ running: true }))(
    "is listed, and is that of the request and not of the write",
    function* () {
      const { key, keyId, organization } = yield* TestEngine.open()
      const lastUse = Effect.map(
        ApiKeys.use((_) => _.list({ organization })),
        (keys) => keys.find((one) => one.id === keyId)?.lastUsedAt,
      )
      assert.isNull(yield* lastUse)
      yield* TestClock.adjust(500)
      yield* Access.use((_) => _.authenticate(key))
      assert.isNull(yield* lastUse)
      yield* TestClock.adjust(pause)
      assert.strictEqual(yield* lastUse, 500)
    },
  )
})
