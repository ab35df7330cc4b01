import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { Accounts } from "../../src/services/Accounts.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { Store } from "../../src/ports/Store.ts"
import { engine, type Received, receivers, status } from "../support/receiving.ts"

const organization = Samples.organizationId
const host = "receiver.test"

const topUps = Effect.replicateEffect(
  Accounts.use((_) => _.topUp({ organization, amount: Samples.money("1") })),
  3,
  { discard: true },
)

describe("WebhookDelivery", () => {
  it.effect("delivers every event at least once, for any behaviour of receivers and nodes", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(200, 200, 204, 301, 404, 429, 500, 0), { maxLength: 60 }),
          fc.array(fc.constantFrom("topUp", "deliver", "die", "wait"), { maxLength: 40 }),
          async (codes, steps) => {
            const receiver = receivers()
            const taken = new Set<number>()
            receiver.answers[host] = ({ sequence }: Received) =>
              Effect.sync(() => {
                const code = codes.shift() ?? 200
                if (code === 0) return { _tag: "Unanswered", error: "reset" } as const
                if (code < 300) taken.add(sequence)
                return status(code)
              })
            await Effect.runPromise(
              Effect.gen(function* () {
                yield* TestEngine.open()
                const { id } = yield* Webhooks.use((_) =>
                  _.create({ organization, url: `https://${host}`, after: 0 }),
                )
                for (const step of steps) {
                  if (step === "topUp") yield* topUps
                  if (step === "deliver")
                    yield* WebhookDelivery.use((_) => _.deliver({ organization, id }))
                  if (step === "wait") yield* TestClock.adjust("6 minutes")
                  if (step === "die") {
                    // The node dies between its requests and its commit.
                    const store = yield* Store
                    const version = (yield* store.account(organization))?.version ?? 0
                    const claim = { holder: "dead", leaseMillis: 60_000, startsAfter: 0 }
                    yield* store.execute({
                      _tag: "ClaimWebhook",
                      organization,
                      version,
                      id,
                      ...claim,
                    })
                  }
                }
                codes.length = 0
                for (let rounds = 0; rounds < 12; rounds++) {
                  yield* TestClock.adjust("7 hours")
                  yield* WebhookDelivery.use((_) => _.deliver({ organization, id }))
                }
                const { last } = yield* EventLog.use((_) => _.list({ organization }))
                const all = Array.from({ length: last }, (_, index) => index + 1)
                assert.deepStrictEqual(
                  [...taken].toSorted((a, b) => a - b),
                  all,
                )
              }).pipe(Effect.provide(engine(receiver)), Effect.provide(TestClock.layer())),
            )
          },
        ),
        { numRuns: 60 },
      ),
    ),
  )
})
