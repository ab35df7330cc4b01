/**
 * SIGKILL of nodes at random points while several of them send what is due in one outbox. The sends, the messages, the
 * ledger and the gateway's own count agree: nothing is lost, and nothing is sent twice.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { seededNumbers } from "@countersign/testing/TestCrypto"
import { databases } from "../fixtures/killing.ts"
import { killOutboxNodes } from "../fixtures/outboxKills.ts"

const gateways = [
  { gateway: "that knows tokens", honoursToken: true },
  { gateway: "that knows no tokens", honoursToken: false },
]

describe("An outbox whose nodes are killed 100 times", () => {
  it.effect.each(gateways)(
    "loses nothing and sends nothing twice, with a gateway $gateway",
    ({ honoursToken }) =>
      Effect.gen(function* () {
        const draw = seededNumbers(honoursToken ? 1 : 2)
        const random = () => draw() / 2 ** 32
        const database = yield* databases.PostgreSQL
        const counts = yield* killOutboxNodes({ database, honoursToken, kills: 100, random })
        assert.isAbove(counts.sentBefore, counts.kills)
      }),
    600_000,
  )
})
