/**
 * SIGKILL while a batch is written, and while it is sent: another node goes on under the same key, and each recipient gets
 * one message.
 */
import { Batches } from "@countersign/core/services/Batches"
import * as Money from "@countersign/core/domain/values/Money"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type Commit, databases, killNode, recounted, settled } from "../fixtures/killing.ts"
import { bulk, bulkSize, organization, readCalls } from "../fixtures/node.ts"

const points: ReadonlyArray<readonly [point: string, commit: Commit]> = [
  ["before its first block", ["AddToBatch", 1, "before"]],
  ["between two blocks", ["AddToBatch", 1, "after"]],
  ["when all blocks are written", ["ChangeBatch", 1, "before"]],
  ["after the charge of a message", ["HoldMessage", 1_234, "after"]],
  ["after a gateway has taken a message", ["RecordDispatch", 1_345, "before"]],
  ["before it is done", ["ChangeBatch", 2, "before"]],
]

describe("A batch whose node is killed", () => {
  it.effect.each(points)("%s sends each recipient one message", ([, commit]) =>
    Effect.gen(function* () {
      const killed = { action: "bulk", commit, honoursToken: true, refusesWhatsApp: false } as const
      const { next, setting } = yield* killNode(databases.PostgreSQL, killed, 60_000)
      yield* Effect.gen(function* () {
        const written = yield* bulk
        assert.deepInclude(written, { recipients: bulkSize, duplicates: 0, refused: 0 })
        yield* TestClock.adjust("2 minutes")
        // The messages that the first node had read, and those that it had charged.
        yield* bulk
        yield* settled
        const calls = readCalls(setting.calls)
        assert.strictEqual(new Set(calls.map(([, token]) => token)).size, bulkSize)
        const { messages } = yield* recounted
        assert.strictEqual(messages.length, bulkSize)
        assert.strictEqual(new Set(messages.map(({ phoneNumber }) => phoneNumber)).size, bulkSize)
        const { batches } = yield* Batches.use((_) => _.list({ organization }))
        assert.strictEqual(batches.length, 1)
        assert.deepInclude(batches[0], { status: "done", queued: 0, recipients: bulkSize })
        assert.deepInclude(batches[0], { spent: Money.make(String(bulkSize / 2)) })
      }).pipe(Effect.provide(next))
    }),
  )
})
