/** Sends with the same order key go one after another. */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "@effect/vitest"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import { Store } from "../../src/ports/Store.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Outbox } from "../../src/services/Outbox.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import { twoNodes } from "../support/nodes.ts"
import { enqueued, organization, prepareMessage, round, texts } from "../support/outbox.ts"

engineTest("a send waits for the one before it with the same order key", function* () {
  yield* TestEngine.open()
  yield* enqueued(prepareMessage({ text: "1", orderKey: "k" }))
  yield* enqueued(prepareMessage({ text: "2", orderKey: "k" }))
  yield* enqueued(prepareMessage({ text: "3" }))
  assert.strictEqual(yield* round, 2)
  assert.strictEqual(yield* round, 1)
  assert.deepStrictEqual(yield* texts, ["2", "3", "1"])
})

effectTest("a send lets none with its order key overtake it at the gateway", function* () {
  const behave = () => ({ _tag: "NeverAnswer" }) as const
  const { here, store } = yield* twoNodes({ gateway: { behave } })
  yield* here(TestEngine.open())
  const first = yield* here(enqueued(prepareMessage({ orderKey: "k" })))
  const second = yield* here(enqueued(prepareMessage({ orderKey: "k" })))
  const take = store.takeQueued([{ organization, queue: "", limit: 9 }], 30_000)
  const [taken] = yield* take
  if (taken === undefined) return assert.fail("It is due")
  const sending = yield* Effect.forkChild(here(Outbox.use((_) => _.handle(taken, 0))))
  const row = Effect.tap(store.queued(organization, first.id), Effect.yieldNow)
  yield* Effect.repeat(row, { until: (row) => row?.end === "sent" })
  assert.deepStrictEqual(yield* take, [])
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.join(sending)
  assert.deepStrictEqual(
    (yield* take).map(({ id }) => id),
    [second.id],
  )
})

effectTest(
  "a send keeps its order key if another call, which has not charged it, fails",
  function* () {
    const store = MemoryStore.make()
    const reached = yield* Deferred.make<void>()
    const charged = yield* Deferred.make<void>()
    const away = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    const failing = Store.of({
      ...store,
      execute: (command) =>
        command._tag === "HoldMessage"
          ? Deferred.succeed(reached, undefined).pipe(
              Effect.andThen(Deferred.await(charged)),
              Effect.andThen(Effect.fail(away)),
            )
          : store.execute(command),
    })
    const gateway = { behave: () => ({ _tag: "NeverAnswer" }) as const }
    const { here } = yield* twoNodes({ gateway }, store)
    const { there } = yield* twoNodes({ gateway }, failing)
    yield* here(TestEngine.open())
    const { id } = yield* here(enqueued(prepareMessage({ orderKey: "k" })))
    const second = yield* here(enqueued(prepareMessage({ orderKey: "k" })))
    const dispatch = Outbox.use((_) => _.dispatchMessage({ organization, id }))
    const other = yield* Effect.forkChild(there(Effect.flip(dispatch)))
    yield* Deferred.await(reached)
    const sending = yield* Effect.forkChild(here(Effect.exit(dispatch)))
    const row = Effect.tap(store.queued(organization, id), Effect.yieldNow)
    yield* Effect.repeat(row, { until: (row) => row?.end === "sent", times: 1_000 })
    yield* Deferred.succeed(charged, undefined)
    assert.strictEqual((yield* Fiber.join(other))._tag, "StoreUnavailable")
    const take = Effect.map(
      store.takeQueued([{ organization, queue: "", limit: 9 }], 30_000),
      (sends) => sends.map(({ id }) => id),
    )
    const meanwhile = yield* take
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(sending)
    assert.deepStrictEqual([meanwhile, yield* take], [[], [second.id]])
  },
)

effectTest("a send is not waited for when the node that was sending it has died", function* () {
  const { here, store, there } = yield* twoNodes()
  yield* here(TestEngine.open())
  const { id } = yield* here(enqueued(prepareMessage({ orderKey: "k" })))
  yield* here(enqueued(prepareMessage({ orderKey: "k", text: "2" })))
  const { version = 0 } = (yield* store.account(organization)) ?? {}
  yield* store.execute(Samples.holdMessage({ version, queued: { id } }))
  assert.strictEqual(yield* there(round), 0)
  yield* TestClock.adjust("2 minutes")
  assert.strictEqual(yield* there(round), 1)
  assert.strictEqual(yield* there(round), 1)
  assert.deepStrictEqual(yield* there(texts), ["2"])
})
