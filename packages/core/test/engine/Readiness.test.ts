import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Readiness from "../../src/engine/Readiness.ts"
import { Store } from "../../src/ports/Store.ts"
import { effectTest } from "../support/engineTest.ts"

const lost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })

/** The readiness of a node whose store answers so, and how often it was asked. */
const over = (isMigrated: Store["Service"]["isMigrated"]) => {
  const asked = { times: 0 }
  const counted = Effect.suspend(() => {
    asked.times += 1
    return isMigrated
  })
  const store = Layer.sync(Store, () => ({ ...MemoryStore.make(), isMigrated: counted }))
  const made = Effect.scoped(
    Effect.map(Layer.build(Layer.provide(Readiness.layer, store)), (context) => context),
  )
  return Effect.map(
    Effect.flatMap(made, (context) => Effect.provideContext(Readiness.Readiness, context)),
    (readiness) => ({ ...readiness, asked }),
  )
}

describe("A node", () => {
  effectTest("is ready if its database answers and has the tables", function* () {
    const { unready } = yield* over(Effect.succeed(true))
    assert.isUndefined(yield* unready)
  })

  effectTest("is not ready without a migration of its build", function* () {
    const { unready } = yield* over(Effect.succeed(false))
    assert.strictEqual(yield* unready, "migrations")
  })

  effectTest("is not ready if the database refuses, or a bug prevents the question", function* () {
    const refused = yield* over(Effect.fail(lost))
    assert.strictEqual(yield* refused.unready, "database")
    const broken = yield* over(Effect.die(new Error("bug")))
    assert.strictEqual(yield* broken.unready, "database")
  })

  effectTest("is not ready if the database takes longer than two seconds", function* () {
    const { unready } = yield* over(Effect.never)
    const asking = yield* Effect.forkChild(unready, { startImmediately: true })
    yield* TestClock.adjust("1999 millis")
    assert.isUndefined(asking.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(asking), "database")
  })

  effectTest("asks the database once a second, for however many callers", function* () {
    const { asked, unready } = yield* over(Effect.delay(Effect.succeed(true), "10 millis"))
    const many = Effect.all(
      Array.from({ length: 50 }, () => unready),
      { concurrency: "unbounded" },
    )
    const asking = yield* Effect.forkChild(many, { startImmediately: true })
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(asking)
    assert.isUndefined(yield* unready)
    assert.strictEqual(asked.times, 1)
    yield* TestClock.adjust("1 second")
    const again = yield* Effect.forkChild(unready, { startImmediately: true })
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(again)
    assert.strictEqual(asked.times, 2)
  })

  effectTest("is not ready once it drains, and no longer asks the database", function* () {
    const { asked, drainUnsafe, unready } = yield* over(Effect.succeed(true))
    drainUnsafe()
    assert.strictEqual(yield* unready, "draining")
    assert.strictEqual(asked.times, 0)
  })
})
