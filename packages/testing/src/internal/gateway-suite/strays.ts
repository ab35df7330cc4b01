import { Reports } from "@countersign/core/services/Reports"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"
import * as TestEngine from "../../TestEngine.ts"
import { reporting } from "./httpStage.ts"
import type { Test } from "./plan.ts"
import { type CallbackOutcome, type Callbacks, message, type Options } from "./subject.ts"
import { engineOver, sendOver, stateOf } from "./support.ts"

const receive = (outcome: CallbackOutcome) =>
  Effect.forEach(outcome._tag === "Reports" ? outcome.reports : [], (report) =>
    Reports.use((_) => _.receive(report)),
  )

/** Tests requests with a valid signature that must not change anything. */
export const straysSection = (test: Test, options: Options, callbacks: Callbacks): void => {
  const sample = message({ ...options.message, ...options.accepted.message })
  const subject = reporting(options, callbacks)

  test("accepts a repeated signed request once", function* (tell) {
    const { delivered, gateway, read } = yield* subject
    yield* Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* sendOver(organization, sample)
      const request = yield* delivered()
      const first = yield* read(request)
      yield* receive(first)
      const state = yield* stateOf(organization)
      assert.strictEqual(state.log, "delivered")
      const second = yield* read(request)
      tell([first, second])
      // Either refused, or the same reports again with the same id.
      if (second._tag !== "Refused") assert.deepStrictEqual(second, first)
      yield* receive(second)
      assert.deepStrictEqual(yield* stateOf(organization), state)
    }).pipe(Effect.provide(engineOver(gateway)))
  })

  test("ignores a report on another installation's message with the same number", function* (tell) {
    const { delivered, gateway, read } = yield* subject
    yield* gateway.send({ ...sample, token: Samples.messageId(2) })
    const request = yield* delivered("theirs")
    const state = yield* Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* sendOver(organization, sample)
      const outcome = yield* read(request)
      tell(outcome)
      assert.strictEqual(outcome._tag, "Reports")
      yield* receive(outcome)
      return yield* stateOf(organization)
    }).pipe(Effect.provide(engineOver(gateway)))
    assert.strictEqual(state.log, "accepted")
  })
}
