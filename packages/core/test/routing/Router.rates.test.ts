import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { make, message, summaryOf } from "../support/routing.ts"
import { effectTest } from "../support/engineTest.ts"

describe("the rates of a gateway", () => {
  effectTest(
    "are kept by waiting, or by another gateway if the wait would be too long",
    function* () {
      const options = { retryFor: "1.5 seconds", rates: { perSecond: 1 } } as const
      const { gateway, log } = yield* make({ a: ["taken"], b: ["taken"] }, options)
      const fibers = yield* Effect.forEach(Array.from({ length: 4 }), () =>
        Effect.forkChild(gateway.send(message()), { startImmediately: true }),
      )
      assert.deepStrictEqual(log, ["a taken", "b taken"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(log, ["a taken", "b taken", "a taken", "b taken"])
      yield* Effect.forEach(fibers, Fiber.join)
    },
  )

  effectTest("hold for each recipient separately", function* () {
    const options = { retryFor: "1 second", rates: { recipientPause: "6 seconds" } } as const
    const { log, sendNow } = yield* make({ a: ["taken"] }, options)
    const other = message({ phoneNumber: PhoneNumber.fromE164("+8801812345678") })
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
    assert.strictEqual(summaryOf(yield* sendNow(other)), "Accepted by a")
    // At once: a message does not wait for a place that comes too late.
    assert.strictEqual(summaryOf(yield* sendNow()), "Throttled")
    yield* TestClock.adjust(6_000)
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
    assert.strictEqual(log.length, 3)
  })
})

describe("a vendor's own pause between two messages to a recipient", () => {
  const capabilities = { pairMillis: 6_000 }

  effectTest("applies by default", function* () {
    const { sendNow } = yield* make({ a: ["taken"] }, { capabilities, retryFor: "1 second" })
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
    // At once: a message does not wait for a place that comes too late.
    assert.strictEqual(summaryOf(yield* sendNow()), "Throttled")
  })

  effectTest("is replaced by the host's setting", function* () {
    const options = { capabilities, rates: { recipientPause: "0 seconds" as const } }
    const { sendNow } = yield* make({ a: ["taken"] }, options)
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
  })
})

describe("a gateway that throttles", () => {
  effectTest("gets the requested pause, with any other gateways", function* () {
    const { gateway, log } = yield* make({ a: ["soon"], b: ["unsent"] })
    const fiber = yield* Effect.forkChild(gateway.send(message()), { startImmediately: true })
    yield* TestClock.adjust(2_999)
    assert.strictEqual(log.filter((line) => line === "a soon").length, 1)
    assert.isAbove(log.filter((line) => line === "b unsent").length, 1)
    yield* TestClock.adjust(7_001)
    assert.isAbove(log.filter((line) => line === "a soon").length, 1)
    yield* Fiber.join(fiber)
  })

  effectTest("delays no message by its rates while it is paused", function* () {
    const options = {
      rates: { perSecond: 1 },
      rated: "a",
    }
    const { log, sendNow } = yield* make({ a: ["account"], b: ["taken"] }, options)
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by b")
    // The next free place of `a` is a second away, and no message waits for it.
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by b")
    assert.deepStrictEqual(log, ["a account", "b taken", "b taken"])
  })
})
