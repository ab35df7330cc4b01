import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connectionsTimeOut } from "./connectTimeout.ts"
import { staged } from "./httpStage.ts"
import type { Test } from "./plan.ts"
import { message, type Options } from "./subject.ts"

/**
 * Time after which Node's `fetch` gives up a connection: undici's default of ten seconds, and up to one more
 * until it checks its timer.
 */
const connectMillis = 11_000

/** Tests the outcome when a host drops every attempt to connect. */
export const deadHostSection = (test: Test, options: Options): void => {
  const sample = message({ ...options.message, ...options.accepted.message })

  test("reports that nothing was sent when no host answers the connection", (tell) =>
    Effect.gen(function* () {
      const { adapter, vendor } = yield* staged(options, {
        _tag: "Answer",
        ...options.accepted.answer,
      })
      yield* connectionsTimeOut
      const outcome = yield* adapter.gateway.send(sample)
      tell(outcome)
      assert.strictEqual(outcome._tag, "NotSent")
      assert.strictEqual(vendor.requests.length, 0)
    }))

  test("has a time-out that is longer than its connection attempt", () =>
    Effect.gen(function* () {
      const { adapter } = yield* staged(options, { _tag: "Silence" })
      assert.isAbove(adapter.gateway.capabilities.timeoutMillis, connectMillis)
    }))
}
