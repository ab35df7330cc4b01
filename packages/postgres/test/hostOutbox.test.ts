/** The outbox of a host with Effect, which adds to it in transactions of its SQL client. */
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import { OutboxDelivery } from "@countersign/core/jobs/OutboxDelivery"
import { Store } from "@countersign/core/ports/Store"
import { Batches } from "@countersign/core/services/Batches"
import * as CoreOutbox from "@countersign/core/services/Outbox"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Outbox from "../src/Outbox.ts"
import { server as freshServer, storeLayer } from "./fixtures/databases.ts"

const { messageId, phoneNumber, queuedSend } = Samples

describe("enqueue in a transaction of a host with Effect", () => {
  const connections = freshServer()
  const engine = TestEngine.layer({ store: Layer.provide(storeLayer(), connections) })

  it.live("queues a code with the commit, and none with the roll-back", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const sql = yield* SqlClient.SqlClient
      const outbox = yield* CoreOutbox.Outbox
      yield* sql`CREATE TABLE users (phone_number text PRIMARY KEY)`
      const signUp = Effect.fnUntraced(function* (number: string, text: string) {
        const code = yield* outbox.prepareCode({ organization, phoneNumber: number })
        const message = yield* outbox.prepareMessage({ organization, phoneNumber: number, text })
        return yield* sql.withTransaction(
          Effect.andThen(
            Outbox.enqueue([code, message]),
            sql`INSERT INTO users ${sql.insert({ phone_number: number })}`,
          ),
        )
      })
      const [first, second] = [phoneNumber(1), phoneNumber(2)]
      yield* signUp(first, "Welcome")
      yield* sql`INSERT INTO users ${sql.insert({ phone_number: second })}`
      assert.strictEqual((yield* Effect.flip(signUp(second, "Welcome again")))._tag, "SqlError")
      for (const search of [{}, { phoneNumber: first }]) {
        const { verifications } = yield* Verifications.use((_) =>
          _.search({ organization, ...search }),
        )
        assert.deepStrictEqual(
          verifications.map((one) => `${one.phoneNumber} ${one.status}`),
          [`${first} queued`],
        )
      }

      // Two transactions with the same keys must not wait for each other.
      const keyed = ["b", "a", null, "b"].map((orderKey, index) =>
        queuedSend({ id: messageId(index), orderKey, dueAt: 9e15 }),
      )
      yield* Outbox.enqueue(keyed.map((one) => ({ ...one, organization })))
      const { found } = yield* Store.use((_) => _.queuedPage({ organization, queue: "" }, 2, 9))
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        [2, 1, 0, 3].map(messageId),
      )

      assert.strictEqual(yield* Effect.scoped(OutboxDelivery.use(({ round }) => round)), 2)
      const gateway = yield* SimulatedGateway
      const texts = (yield* gateway.journal(first)).map(({ text }) => text)
      assert.lengthOf(texts, 2)
      assert.include(texts, "Welcome")
      assert.deepStrictEqual(yield* gateway.journal(second), [])
    }).pipe(Effect.provide(Layer.provideMerge(engine, connections))),
  )

  it.live("finds nothing by an id that the database cannot have", () =>
    Effect.gen(function* () {
      const ref = { ...(yield* TestEngine.open()), id: "msg_\u0000" }
      const outbox = yield* CoreOutbox.Outbox
      const batches = yield* Batches
      const tagOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(call), ({ _tag }) => _tag)
      const tags = yield* Effect.all([
        tagOf(outbox.get(ref)),
        tagOf(outbox.cancel(ref)),
        tagOf(outbox.reschedule({ ...ref, sendAt: Date.now() + 60_000 })),
        tagOf(outbox.dispatchMessage(ref)),
        tagOf(batches.get(ref)),
        tagOf(batches.pause(ref)),
      ])
      assert.deepStrictEqual(tags, [
        ...Array.from({ length: 4 }, () => "MessageNotFound"),
        ...Array.from({ length: 2 }, () => "BatchNotFound"),
      ])
    }).pipe(Effect.provide(Layer.provideMerge(engine, connections))),
  )

  it.effect("dies with the memory store, which has none", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const outbox = yield* CoreOutbox.Outbox
      const code = yield* outbox.prepareCode({ organization, phoneNumber: phoneNumber() })
      const cause = yield* Effect.flip(Effect.sandbox(Outbox.enqueue([code])))
      assert.include(String(Cause.squash(cause)), "use enqueue of the service Outbox")
    }).pipe(Effect.provide(Layer.merge(TestEngine.layer(), connections))),
  )
})
