import * as Samples from "@countersign/testing/Samples"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Retention from "../../src/jobs/Retention.ts"
import * as RetentionPolicy from "../../src/engine/RetentionPolicy.ts"
import { type PruneStep, Store } from "../../src/ports/Store.ts"

/** Keeps all events, refusals and queued sends by default, so that a message that goes is one step. */
export const policy = (overrides: Partial<RetentionPolicy.RetentionPolicy>) =>
  Layer.succeed(RetentionPolicy.RetentionPolicy, {
    ...RetentionPolicy.defaults,
    events: Duration.infinity,
    refusals: Duration.infinity,
    outbox: Duration.infinity,
    batches: Duration.infinity,
    ...overrides,
  })

/** Retention alone, over a store that may be watched or broken. */
export const over = (
  store: Store["Service"],
  overrides: Partial<RetentionPolicy.RetentionPolicy> = { messages: Duration.days(1) },
) =>
  Retention.layer.pipe(
    Layer.provideMerge(Layer.succeed(Store, store)),
    Layer.provide(policy(overrides)),
  )

/** Organizations with final messages that are older than a day. */
export const filled = Effect.fnUntraced(function* (messages: Readonly<Record<string, number>>) {
  yield* TestClock.setTime(Samples.now)
  const store = MemoryStore.make()
  for (const [name, count] of Object.entries(messages)) {
    const organization = OrganizationId(name)
    yield* store.createOrganization(Samples.organization({ id: organization }))
    yield* store.execute(Samples.topUp({ organization, amount: Samples.money("100") }))
    for (let message = 1; message <= count; message++) {
      yield* store.execute(Samples.holdMessage({ organization }))
      const outcome = { _tag: "Delivered", gatewayId: "gw" } as const
      yield* store.execute(
        Samples.recordDispatch({ organization, messageSequence: message, outcome }),
      )
    }
  }
  yield* TestClock.adjust(Duration.days(2))
  return store
})

export const left = (store: Store["Service"], name: string) =>
  Effect.map(
    store.messages(OrganizationId(name), { from: undefined, to: undefined, skip: 0, limit: 1 }),
    (page) => page?.total,
  )

/** The store, and its recorded steps. */
export const watched = (store: Store["Service"]) => {
  const steps: Array<PruneStep> = []
  const prune: Store["Service"]["prune"] = (step) =>
    Effect.suspend(() => {
      steps.push(step)
      return store.prune(step)
    })
  return { steps, store: Store.of({ ...store, prune }) }
}
