import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Plan, Test } from "./plan.ts"
import { code, text } from "./subject.ts"
import { performPlay } from "./support.ts"

/** Tests the meanings of the vendor's documented answers. */
export const answersSection = (test: Test, plan: Plan): void => {
  const { accepted, message, refusal } = plan

  for (const play of [accepted, ...plan.answers]) {
    test(`takes ${play.title} as ${play.expected.map(({ _tag }) => _tag).join(" or ")}`, (tell) =>
      performPlay(play, tell))
  }

  test("sends the text to the vendor, and does not repeat it in the outcome", (tell) =>
    Effect.gen(function* () {
      const { adapter, nextMessage } = yield* accepted.stage
      tell(yield* adapter.gateway.send(accepted.message))
      assert.include(yield* nextMessage, code)
    }))

  if (refusal === undefined) return

  test("repeats a refusal without the text, the code, the number or a key", (tell) =>
    Effect.gen(function* () {
      const { phoneNumber } = message
      const national = `0${phoneNumber.slice(-10)}`
      const quoted = [
        text,
        code,
        phoneNumber,
        phoneNumber.slice(1),
        national,
        ...plan.secrets,
      ].join(" ; ")
      const { adapter } = yield* refusal(`quoting ${quoted}`).stage
      const outcome = yield* adapter.gateway.send(message)
      tell(outcome)
      assert.strictEqual(outcome._tag, "Rejected")
      assert.include(outcome._tag === "Rejected" ? outcome.message : "", "quoting")
    }))

  test("shortens the vendor's words so that they fit a row", (tell) =>
    Effect.gen(function* () {
      const { adapter } = yield* refusal("many words ".repeat(500)).stage
      const outcome = yield* adapter.gateway.send(message)
      tell(outcome)
      assert.isAtMost(outcome._tag === "Rejected" ? outcome.message.length : Infinity, 300)
    }))
}
