import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Gateway, GatewayMessage } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome, ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { effectTest } from "../support/engineTest.ts"

const to = "+8801712345678"

/** A gateway whose report is taken in before its dispatch ends. */
class Overtaking {
  report: (message: GatewayMessage) => Effect.Effect<void> = () => Effect.void
  sent: GatewayMessage | undefined

  readonly layer: Layer.Layer<Gateway>

  constructor(outcome: GatewayOutcome) {
    this.layer = gatewayLayer({
      send: (message) =>
        Effect.suspend(() => {
          this.sent = message
          return Effect.as(this.report(message), outcome)
        }),
    })
  }

  /** Connects the reports, which are there once the engine is built. */
  readonly reporting = (status: ReportStatus) =>
    Effect.map(Reports, (reports) => {
      this.report = ({ ref }) =>
        Effect.orDie(
          Effect.asVoid(reports.receive({ of: { _tag: "Message", ...ref }, status, detail: null })),
        )
    })
}

const notSent: GatewayOutcome = { _tag: "NotSent", message: "connection reset" }

describe("a report that comes before the dispatch ends", () => {
  effectTest(
    "delivered: the code is good although the dispatch then says that nothing was sent",
    function* () {
      const gateway = new Overtaking(notSent)
      yield* Effect.gen(function* () {
        yield* gateway.reporting("delivered")
        const { organization } = yield* TestEngine.open()
        const verifications = yield* Verifications
        const { requestId } = yield* verifications.send({ organization, phoneNumber: to })
        assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
        const code = gateway.sent?.code ?? Redacted.make("")
        const checked = yield* verifications.check({ organization, requestId, code })
        assert.isTrue(checked.isFirst)
      }).pipe(Effect.provide(engineOver(gateway.layer)))
    },
  )

  effectTest("delivered: the message counts as sent, and its price is kept", function* () {
    const gateway = new Overtaking(notSent)
    yield* Effect.gen(function* () {
      yield* gateway.reporting("delivered")
      const { organization } = yield* TestEngine.open()
      const sent = yield* (yield* Messages).send({ organization, phoneNumber: to, text: "x" })
      assert.strictEqual(sent.gatewayId, gateway.sent?.token)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
      assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.00 held, 3 entries")
    }).pipe(Effect.provide(engineOver(gateway.layer)))
  })

  effectTest(
    "failed: the request fails when the dispatch agrees that nothing was sent",
    function* () {
      const gateway = new Overtaking(notSent)
      yield* Effect.gen(function* () {
        yield* gateway.reporting("failed")
        const { organization } = yield* TestEngine.open()
        const verifications = yield* Verifications
        const error = yield* Effect.flip(verifications.send({ organization, phoneNumber: to }))
        assert.strictEqual(error._tag, "SendingFailed")
        assert.deepStrictEqual(yield* logOf(organization), ["failed, released, 1"])
      }).pipe(Effect.provide(engineOver(gateway.layer)))
    },
  )
})
