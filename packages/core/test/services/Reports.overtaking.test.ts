import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Engine from "../../src/Engine.ts"
import { Store } from "../../src/ports/Store.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { sendMessage } from "../support/keyed.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { send, statusOf } from "../support/verifying.ts"
import { testOn } from "../support/engineTest.ts"

/** An engine whose gateway reports before its dispatch ends, and then says that nothing was sent. */
const overtaken = (status: ReportStatus) => {
  const store = MemoryStore.make()
  const gateway = gatewayLayer({
    send: ({ ref: { organization, sequence: messageSequence } }) =>
      store
        .execute(Samples.applyReport({ organization, messageSequence, status }))
        .pipe(Effect.orDie, Effect.as({ _tag: "NotSent", message: "connection reset" } as const)),
  })
  return engineOver(gateway, Engine.layer, Layer.succeed(Store, store))
}

describe("a report that comes before the dispatch ends", () => {
  testOn(overtaken("delivered"))("delivered: a code is good, and a message is paid", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    assert.strictEqual((yield* statusOf(organization, requestId)).status, "pending")
    const { gatewayId, id } = yield* sendMessage(organization)
    assert.strictEqual(`${gatewayId}_2`, id)
    const delivered = "delivered, captured, 1"
    assert.deepStrictEqual(yield* logOf(organization), [delivered, delivered])
    assert.strictEqual(yield* moneyOf(organization), "99.00 + 0.00 held, 5 entries")
  })

  testOn(overtaken("failed"))("failed: a request fails like its message", function* () {
    const { organization } = yield* TestEngine.open()
    assert.strictEqual((yield* Effect.flip(send(organization)))._tag, "SendingFailed")
    assert.deepStrictEqual(yield* logOf(organization), ["failed, released, 1"])
  })
})
