import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as TestEngine from "../../TestEngine.ts"
import type { Plan, Test } from "./plan.ts"
import { engineOver, performPlay, sendOver, stateOf } from "./support.ts"

/** Tests the outcomes of failures in transit. */
export const failuresSection = (test: Test, { failures, waits }: Plan): void => {
  for (const play of failures) {
    test(play.title, function* (tell) {
      yield* performPlay(play, tell)
    })
  }

  for (const { message, stage, title } of waits) {
    test(`stops when it is interrupted while the vendor ${title}`, function* () {
      const { adapter, nextMessage, released } = yield* stage
      const sending = yield* Effect.forkChild(adapter.gateway.send(message))
      yield* nextMessage
      yield* Fiber.interrupt(sending)
      yield* released
    })

    test(`leaves an unknown outcome at its time-out when the vendor ${title}`, function* (tell) {
      const { adapter, nextMessage, released } = yield* stage
      yield* Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const sending = yield* Effect.forkChild(sendOver(organization, message))
        yield* nextMessage
        yield* TestClock.adjust(Duration.millis(adapter.gateway.capabilities.timeoutMillis))
        tell(yield* Effect.flip(Fiber.join(sending)))
        assert.strictEqual((yield* stateOf(organization)).log, "unknown")
        yield* released
      }).pipe(Effect.provide(engineOver(adapter.gateway)))
    })
  }
}
