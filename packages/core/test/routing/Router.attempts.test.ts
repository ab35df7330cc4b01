import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { effectTest } from "../support/engineTest.ts"
import { make, message, summaryOf } from "../support/routing.ts"

describe("a router", () => {
  effectTest("tells its attempts, and counts the messages that another gateway took", function* () {
    const { gateway, sendNow } = yield* make({ a: ["account", "taken"], b: ["taken"] })
    const first = yield* sendNow()
    assert.deepStrictEqual(first.attempts, [
      { gateway: "a", millis: 0, failure: "account", vendorCode: undefined },
      { gateway: "b", millis: 0 },
    ])
    const states = gateway.states ?? Effect.succeed([])
    assert.deepStrictEqual((yield* states)[0]?.moved, {})
    yield* sendNow()
    const second = yield* sendNow()
    assert.deepStrictEqual(second.attempts, [{ gateway: "b", millis: 0 }])
    const [paused, other] = yield* states
    assert.deepStrictEqual([paused?.moved, other?.moved], [{ b: 2 }, {}])
    assert.strictEqual(paused?.retryAt, (yield* Clock.currentTimeMillis) + 300_000)
  })

  effectTest(
    "gets a test message although it is paused, which does not end the pause",
    function* () {
      const { log, router, sendNow } = yield* make({ a: ["account", "taken"], b: ["taken"] })
      yield* sendNow()
      const tested = yield* sendNow({ ...message(), gateway: "a" })
      assert.strictEqual(summaryOf(tested), "Accepted by a")
      assert.deepStrictEqual(log, ["a account", "b taken", "a taken"])
      assert.strictEqual((yield* router.health)[0]?.state, "barred")
    },
  )
})
