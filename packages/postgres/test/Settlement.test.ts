import { PgPool } from "@effect/sql-pg"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Messages } from "@countersign/core/services/Messages"
import { Settlement, SettlementPolicy } from "@countersign/core/jobs/Settlement"
import { Store } from "@countersign/core/ports/Store"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as TestClock from "effect/testing/TestClock"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import { begin, lend, runBatch } from "../src/internal/connection/pipeline.ts"
import * as PostgresClient from "../src/PostgresClient.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import { patient } from "./fixtures/databases.ts"

const busy = OrganizationId("busy")
const other = OrganizationId("other")

const round = Settlement.use((_) => _.round)

const send = (organization: OrganizationId, count: number) =>
  Messages.use((_) =>
    Effect.replicateEffect(
      _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
      count,
    ),
  )

const holdsOf = (organization: OrganizationId) =>
  Effect.map(
    Messages.use((_) => _.list({ organization })),
    ({ messages }) => [...new Set(messages.map(({ hold, status }) => `${status}, ${hold}`))],
  )

/** An engine on a database of its own; its time is the test's, but locks are waited for in real time. */
const engine = Effect.map(freshDatabase(inject("postgresUrl")), (url) => {
  const store = PostgresStore.layer({
    clock: Effect.flatMap(Clock.Clock, (clock) => clock.currentTimeMillis),
  }).pipe(
    Layer.provide(PostgresClient.layer({ ...patient, url, lockTimeout: "100 milliseconds" })),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(Logger.layer([])),
  )
  return {
    holder: PostgresClient.layer({ ...patient, url }),
    layer: TestEngine.layer({
      store,
      gateway: { behave: () => ({ _tag: "NeverReport" }) },
    }).pipe(
      Layer.provide(Layer.succeed(SettlementPolicy, { intervalMillis: 1_000, batch: 8 })),
      Layer.provide(
        Layer.succeed(DispatchPolicy, { leaseMarginMillis: 60_000, settleMillis: 60_000 }),
      ),
    ),
  }
})

describe("an organization whose lock is held by another session", () => {
  it.effect(
    "delays no other organization's refunds and reports, and gets its own when the lock is free",
    () =>
      Effect.gen(function* () {
        const { holder, layer } = yield* engine
        const pool = Context.get(yield* Layer.build(holder), PgPool.PgPool)
        yield* Effect.gen(function* () {
          yield* TestEngine.open({ id: busy })
          yield* TestEngine.open({ id: other })
          yield* send(busy, 9)
          yield* send(other, 2)
          const store = yield* Store
          // One kept report of each.
          for (const organization of [busy, other]) {
            const { messages } = yield* Messages.use((_) => _.list({ organization, limit: 1 }))
            const gatewayId = messages[0]?.gatewayId ?? ""
            const report = { gateway: "simulated", gatewayId, detail: null, evidence: null }
            yield* store.keepReport({ ...report, status: "undelivered" })
          }
          yield* TestClock.adjust(60_000)
          yield* lend(pool, (connection) =>
            Effect.gen(function* () {
              const lock = `SELECT FROM countersign.accounts WHERE organization = '${busy}' FOR UPDATE`
              yield* runBatch(connection, [begin, { sql: lock }])
              // As many of its messages are due as a round looks at.
              assert.strictEqual(yield* round, 8)
              assert.strictEqual(yield* round, 1)
            }).pipe(Effect.ensuring(Effect.ignore(runBatch(connection, [{ sql: "ROLLBACK" }])))),
          )
          assert.deepStrictEqual(yield* holdsOf(other), [
            "undelivered, released",
            "unknown, released",
          ])
          assert.deepStrictEqual(yield* holdsOf(busy), ["accepted, open"])
          yield* TestClock.adjust(5_000)
          yield* round
          yield* round
          assert.deepStrictEqual(yield* holdsOf(busy), [
            "undelivered, released",
            "unknown, released",
          ])
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped),
  )
})
