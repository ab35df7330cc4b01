/**
 * A message centre that fails in every way while messages are in flight: its count of messages and the money of
 * the engine agree afterwards. `test/soak/smpp.soak.test.ts` plays more of these histories.
 */
import { assert, describe } from "@effect/vitest"
import type { Gateway } from "@countersign/core/ports/Gateway"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { addCounts } from "../../support/addCounts.ts"
import { test } from "../../support/testsOver.ts"
import { reactions } from "./failingCentre.ts"
import { playHistory } from "./smppHistory.ts"

const seeds = Array.from({ length: 12 }, (_, index) => index + 1)

type Send = Gateway["Service"]["send"]

const mistakes: ReadonlyArray<
  readonly [string, RegExp, (send: Send, message: Parameters<Send>[0]) => ReturnType<Send>]
> = [
  [
    "submits a message again after its answer was lost",
    /part 1 of message \d+ was submitted 2 times/,
    (send, message) =>
      Effect.flatMap(send(message), (outcome) =>
        outcome._tag === "Unknown" ? send(message) : Effect.succeed(outcome),
      ),
  ],
  [
    "takes a lost answer for a message that was never sent",
    /the hold of message \d+ is released, and has to be captured/,
    (send, message) =>
      Effect.map(send(message), (outcome) =>
        outcome._tag === "Unknown" ? { ...outcome, _tag: "NotSent" } : outcome,
      ),
  ],
  [
    "takes a message that was never sent for a delivered one",
    /the hold of message \d+ is captured, and has to be released/,
    (send, message) =>
      Effect.map(send(message), (outcome) =>
        outcome._tag === "NotSent" ? { _tag: "Delivered", gatewayId: message.token } : outcome,
      ),
  ],
]

describe("a centre that fails while messages are in flight", () => {
  test.effect(
    "has accepted each message once that is charged, and none that is refunded",
    function* () {
      const totals: Record<string, number> = {}
      for (const seed of seeds) {
        addCounts(totals, yield* Effect.scoped(playHistory({ seed })))
      }
      const reached = [...reactions.map(([name]) => name), "turned away by a full queue"]
      assert.deepStrictEqual(
        reached.filter((name) => (totals[name] ?? 0) === 0),
        [],
      )
    },
  )
})

describe("the check of a history finds an adapter that", () => {
  test.effect.each(mistakes)("%s", function* ([_, problem, send]) {
    const found: Array<string> = []
    for (const seed of seeds) {
      const exit = yield* playHistory({
        seed,
        mistake: (gateway) => ({ ...gateway, send: (message) => send(gateway.send, message) }),
      }).pipe(Effect.scoped, Effect.exit)
      if (Exit.isFailure(exit)) found.push(Cause.pretty(exit.cause))
      if (found.some((text) => problem.test(text))) return
    }
    assert.fail(`No history has found the mistake: ${found.join("\n")}`)
  })
})
