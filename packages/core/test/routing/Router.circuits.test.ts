import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { Gateway } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Router from "../../src/routing/Router.ts"
import { effectTest } from "../support/engineTest.ts"
import { message, outcomes, scripted, summaryOf } from "../support/routing.ts"

effectTest.each([
  ["unknown", ["b"], "Unknown"],
  ["account", [], "Rejected"],
] as const)(
  "an answer counts although it is one of many that open a circuit: %s",
  function* ([word, others, ends]) {
    const calls: Array<string> = []
    // Each answer comes a few steps after the one before it, and a fiber takes few steps at a time. So some answers
    // find the circuit closed and then cannot be counted, because others have opened it in between.
    const send = () =>
      Effect.suspend(() => {
        const steps = calls.push("a")
        const answer: GatewayOutcome = outcomes[word]
        return Effect.as(Effect.replicateEffect(Effect.yieldNow, steps), answer)
      })
    const first = yield* scripted("a", [], [], {}, { send })
    const rest = yield* Effect.forEach(others, (name) => scripted(name, ["taken"], calls))
    const layer = Router.layer({
      members: [{ gateway: first }, ...rest.map((gateway) => ({ gateway }))],
    })
    const router = Context.get(
      yield* Layer.build(Layer.provide(layer, TestCrypto.layer())),
      Gateway,
    )
    const sends = Array.from({ length: 32 }, () => router.send(message()))
    const all = yield* Effect.all(sends, { concurrency: "unbounded" }).pipe(
      Effect.provideService(MaxOpsBeforeYield, 8),
    )
    assert.deepStrictEqual(
      all.map(summaryOf),
      sends.map(() => ends),
    )
    assert.deepStrictEqual(
      calls,
      sends.map(() => "a"),
    )
  },
)
