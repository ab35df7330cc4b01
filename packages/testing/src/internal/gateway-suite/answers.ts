import { assert } from "@effect/vitest"
import type { Plan, Test } from "./plan.ts"
import { code } from "./subject.ts"
import { performPlay } from "./support.ts"

/** Tests the meanings of the vendor's documented answers. */
export const answersSection = (test: Test, plan: Plan): void => {
  const { accepted, message, refusal } = plan

  for (const play of [accepted, ...plan.answers]) {
    const outcomes = play.expected.map(({ _tag }) => _tag).join(" or ")
    test(`takes ${play.title} as ${outcomes}`, function* (tell) {
      yield* performPlay(play, tell)
    })
  }

  test("sends the text to the vendor, and does not repeat it in the outcome", function* (tell) {
    const { adapter, nextMessage } = yield* accepted.stage
    tell(yield* adapter.gateway.send(accepted.message))
    assert.include(yield* nextMessage, code)
  })

  if (refusal === undefined) return

  test("repeats a refusal without a key of the account", function* (tell) {
    const quoted = plan.secrets.join(" ; ")
    const { adapter } = yield* refusal(`quoting ${quoted}`).stage
    const outcome = yield* adapter.gateway.send(message)
    tell(outcome)
    assert.strictEqual(outcome._tag, "Rejected")
    assert.include(outcome._tag === "Rejected" ? outcome.message : "", "quoting")
  })
}
