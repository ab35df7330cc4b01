import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import * as PostgresClient from "../src/PostgresClient.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import { patient } from "./fixtures/databases.ts"

const { messageId, money, now, organizationId, requestId } = Samples

/** Nodes of their own on one database, by a clock that stands still. */
const nodes = Effect.gen(function* () {
  const url = yield* freshDatabase(inject("postgresUrl"))
  const layer = PostgresStore.layer({ clock: Effect.succeed(now) }).pipe(
    Layer.provide(PostgresClient.layer({ ...patient, url })),
    Layer.provide(SecureRandom.layerWebCrypto),
  )
  const build = Layer.build(Layer.fresh(layer))
  return [yield* build, yield* build] as const
})

const opened = Effect.gen(function* () {
  const both = yield* nodes
  const [first, second] = [Context.get(both[0], Store), Context.get(both[1], Store)]
  yield* first.createOrganization(Samples.organization())
  yield* first.execute(Samples.topUp({ amount: money("100") }))
  return { first, second }
})

const rules: Rules = {
  prefixDigits: 5,
  windowMillis: 3_600_000,
  maxSent: 17,
  minSent: 1_000,
  minConversion: 0,
  action: "deny",
}

const indexes = Array.from({ length: 120 }, (_, index) => index)
const all = { concurrency: "unbounded" } as const

describe("two nodes on one database", () => {
  it.live("spend exactly a day's cap together", () =>
    Effect.gen(function* () {
      const { first, second } = yield* opened
      const outcomes = yield* Effect.forEach(
        indexes,
        (index) => {
          const draft = Samples.draft({ id: messageId(index) })
          const message = Samples.holdMessage({ draft, limits: { spendPerDay: money("7.9") } })
          return (index % 2 === 0 ? first : second).execute(message)
        },
        all,
      )
      assert.strictEqual(outcomes.filter(({ outcome }) => outcome._tag === "Held").length, 15)
      assert.deepInclude(yield* second.account(organizationId), { spent: money("7.5") })
    }).pipe(Effect.scoped),
  )

  it.live("send exactly as many codes to a prefix together as its rules allow", () =>
    Effect.gen(function* () {
      const { first, second } = yield* opened
      const outcomes = yield* Effect.forEach(
        indexes,
        (index) => {
          const request = Samples.requestVerification({
            requestId: requestId(index),
            phoneNumber: Samples.phoneNumber(index),
            draft: Samples.draft({ id: messageId(index) }),
            rules,
          })
          return (index % 2 === 0 ? first : second).execute(request)
        },
        all,
      )
      assert.strictEqual(outcomes.filter(({ outcome }) => outcome._tag === "Requested").length, 17)
      assert.strictEqual(outcomes.flatMap(({ events }) => events).length, 1)
      assert.deepStrictEqual(
        (yield* second.findings(organizationId, 10)).map(({ reason, sent }) => [reason, sent]),
        [["velocity", 17]],
      )
    }).pipe(Effect.scoped),
  )
})
