import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { code, message, type Options, text } from "./subject.ts"
import { assertOutcome, stage, type Test } from "./support.ts"

/** What the vendor's documented answers mean. */
export const answersSection = (test: Test, options: Options): void => {
  for (const row of [options.accepted, ...options.answers]) {
    test(`takes ${row.title} as ${row.expected._tag}`, (tell) =>
      Effect.gen(function* () {
        const { adapter, vendor } = yield* stage(options, { _tag: "Answer", ...row.answer })
        const outcome = yield* adapter.gateway.send(message({ ...options.message, ...row.message }))
        tell(outcome)
        assertOutcome(outcome, row.expected)
        // Whatever it says, it was asked once.
        assert.strictEqual(vendor.requests.length, 1)
      }))
  }

  test("hands the text to the vendor, and says nothing of it when it is taken", (tell) =>
    Effect.gen(function* () {
      const { accepted } = options
      const { adapter, vendor } = yield* stage(options, { _tag: "Answer", ...accepted.answer })
      tell(yield* adapter.gateway.send(message({ ...options.message, ...accepted.message })))
      assert.include(decodeURIComponent(vendor.requests[0]?.body ?? ""), code)
    }))

  test("repeats a refusal without the text, the code, the number or a key", (tell) =>
    Effect.gen(function* () {
      const { to } = message(options.message)
      const national = `0${to.slice(-10)}`
      const quoted = [text, code, to, to.slice(1), national, ...options.secrets].join(" ; ")
      const answer = options.refusal(`quoting ${quoted}`)
      const { adapter } = yield* stage(options, { _tag: "Answer", ...answer })
      const outcome = yield* adapter.gateway.send(message(options.message))
      tell(outcome)
      assert.strictEqual(outcome._tag, "Rejected")
      assert.include(outcome._tag === "Rejected" ? outcome.message : "", "quoting")
    }))

  test("gives words that fit into a row, however many the vendor makes", (tell) =>
    Effect.gen(function* () {
      const answer = options.refusal("many words ".repeat(500))
      const { adapter } = yield* stage(options, { _tag: "Answer", ...answer })
      const outcome = yield* adapter.gateway.send(message(options.message))
      tell(outcome)
      assert.isAtMost(outcome._tag === "Rejected" ? outcome.message.length : Infinity, 300)
    }))
}
