import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Retention from "../../src/jobs/Retention.ts"
import { type PruneStep, Store } from "../../src/ports/Store.ts"
import { filled, left, over, policy, watched } from "../support/retaining.ts"
import { effectTest } from "../support/engineTest.ts"

const round = Retention.Retention.use((_) => _.round)

describe("Retention, when the store fails", () => {
  const failing = (
    memory: Store["Service"],
    fail: (step: PruneStep) => Effect.Effect<void, StoreUnavailable>,
  ) => Store.of({ ...memory, prune: (step) => Effect.andThen(fail(step), memory.prune(step)) })

  const timeout = new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })

  effectTest("a round in which every organization is busy takes a second", function* () {
    const store = failing(yield* filled({ acme: 1, globex: 1 }), () => Effect.fail(timeout))
    const fiber = yield* Effect.forkChild(Effect.provide(round, over(store)))
    yield* TestClock.adjust(999)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.deepInclude(yield* Fiber.join(fiber), { messages: 0, isDone: false })
  })

  effectTest("a step that timed out on a lock is followed without a pause", function* () {
    const memory = yield* filled({ acme: 1, globex: 1, initech: 1 })
    const store = failing(memory, ({ organization }) =>
      organization === "globex"
        ? Effect.andThen(Effect.sleep("2 seconds"), Effect.fail(timeout))
        : Effect.void,
    )
    const fiber = yield* Effect.forkChild(Effect.provide(round, over(store)))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* left(store, "initech"), 0)
    assert.deepInclude(yield* Fiber.join(fiber), { messages: 2, isDone: false })
  })

  it.effect(
    "an organization with a held lock is retried rarely, and delays no step of others",
    () =>
      Effect.gen(function* () {
        const memory = yield* filled({ acme: 900, globex: 1 })
        const held = failing(memory, ({ organization }) =>
          organization === "globex" ? Effect.fail(timeout) : Effect.void,
        )
        const { steps, store } = watched(held)
        const engine = Retention.layerBackground.pipe(
          Layer.provide(over(store, { messages: Duration.days(1), stepRows: 100 })),
          Layer.provide(policy({ messages: Duration.days(1) })),
        )
        yield* Layer.build(engine)
        yield* Effect.replicateEffect(Effect.yieldNow, 1_000)
        assert.strictEqual(yield* left(store, "acme"), 0)
        for (let second = 0; second < 60; second++) yield* TestClock.adjust("1 second")
        const tries = steps.filter(({ organization }) => organization === "globex")
        // After 0, 5, 15 and 35 seconds, or within the second after.
        assert.strictEqual(tries.length, 4)
      }).pipe(Effect.scoped),
  )

  effectTest(
    "an unavailable database ends the round, and the next round continues there",
    function* () {
      const memory = yield* filled({ acme: 1, globex: 1, initech: 1 })
      let isAway = true
      const away = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
      const broken = failing(memory, ({ organization }) =>
        isAway && organization === "globex" ? Effect.fail(away) : Effect.void,
      )
      const { steps, store } = watched(broken)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* Effect.flip(round), away)
        isAway = false
        assert.deepInclude(yield* round, { messages: 2, isDone: true })
        assert.deepStrictEqual(
          steps.map(({ organization }) => organization),
          ["acme", "globex", "initech", "globex"],
        )
      }).pipe(Effect.provide(over(store)))
    },
  )

  effectTest(
    "a defect in one organization's step does not affect others, and is logged",
    function* () {
      const memory = yield* filled({ acme: 1, globex: 1, initech: 1 })
      const logs: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logs.push(message))
      const store = failing(memory, ({ organization }) =>
        organization === "globex" ? Effect.die(new Error("a bug")) : Effect.void,
      )
      const done = yield* round.pipe(
        Effect.provide(over(store)),
        Effect.provide(Logger.layer([logger])),
      )
      assert.deepInclude(done, { messages: 2, isDone: true })
      assert.strictEqual(logs.length, 1)
    },
  )
})
