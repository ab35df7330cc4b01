/** Webhooks of nodes that are killed with SIGKILL at each point of a round. */
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { inject } from "vitest"
import { Program } from "../../packages/postgres/test/fixtures/process.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import {
  type Answer,
  deliverAll,
  engine,
  last,
  organization,
  raise,
  receiving,
  sequences,
  subscribe,
  take,
} from "../support/webhooks.ts"
import { test } from "../support/testsOver.ts"

const sorted = (sequences: Iterable<number>) => [...sequences].toSorted((a, b) => a - b)

const node = join("..", "..", "..", "..", "test", "release", "webhookNode.ts")

const points = [
  ["before it has claimed the webhook", "ClaimWebhook", 1, "before"],
  ["between the claim and the requests", "ClaimWebhook", 1, "after"],
  ["between the requests and their record", "RecordDeliveries", 1, "before"],
  ["between the record and the next claim", "RecordDeliveries", 1, "after"],
  ["between the requests and the record of a later round", "RecordDeliveries", 2, "before"],
  ["in the middle of a round", "none", 1, "before"],
] as const

describe("A node that is killed", () => {
  test.effect.each(points)(
    "%s leaves every event to another node",
    function* ([, tag, count, when]) {
      const url = yield* freshDatabase(inject("postgresUrl"))
      let isAlive = true
      let kill = (): void => {}
      const answer: Answer = (...request) => {
        // The node waits for the answers of this round when it is killed.
        if (tag === "none" && isAlive && request[1] > 30) {
          kill()
          return false
        }
        return take(...request)
      }
      const receiver = yield* receiving(answer)
      yield* TestClock.setTime(Date.now())
      const store = PostgresStore.layer({
        clock: Effect.flatMap(Clock.Clock, (clock) => clock.currentTimeMillis),
      }).pipe(
        Layer.provide(PostgresClient.layer({ url })),
        Layer.provide(SecureRandom.layerWebCrypto),
      )
      yield* Effect.gen(function* () {
        yield* TestEngine.open()
        const { id } = yield* subscribe(receiver)
        yield* raise(250)
        const killed = new Program(node, Redacted.value(url), id, tag, String(count), when)
        kill = () => void killed.kill()
        yield* Effect.addFinalizer(() => Effect.promise(() => killed.kill()))
        const lines = yield* Effect.promise(() => killed.restOfLines())
        assert.isFalse(lines.includes("not killed"))
        isAlive = false
        const before = receiver.taken.length
        // The lease of the killed node ends.
        yield* TestClock.adjust("61 seconds")
        yield* deliverAll
        yield* raise(5)
        yield* deliverAll
        const taken = receiver.taken.map(({ sequence }) => sequence)
        const all = yield* last
        assert.deepStrictEqual(sorted(new Set(taken)), sequences(all))
        // At most the round that was not recorded is repeated.
        assert.isAtMost(taken.length - all, 100)
        if (tag === "ClaimWebhook") assert.deepStrictEqual([before, taken.length], [0, all])
        else assert.isAbove(before, 0)
        const [listed] = yield* Webhooks.use((_) => _.list({ organization }))
        assert.deepInclude(listed, { position: all, retrying: 0, lastError: null })
      }).pipe(Effect.provide(engine({ store, seed: 2 })))
      assert.deepStrictEqual(receiver.problems, [])
    },
  )
})
