import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Commits from "../../src/engine/Commits.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import type { Event } from "../../src/domain/events/Event.ts"
import * as Events from "../../src/engine/Events.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const layer = (store: Layer.Layer<Store> = Layer.fresh(MemoryStore.layer)) =>
  Commits.layer.pipe(Layer.provideMerge(Layer.mergeAll(store, Events.layer)))

const turns = Effect.replicateEffect(Effect.yieldNow, 20)

describe("Commits.run", () => {
  testOn(layer())("returns the outcome of the command", function* () {
    yield* Store.use((store) => store.createOrganization(Samples.organization()))
    const outcome = yield* Commits.Commits.use((_) => _.run(Samples.topUp()))
    assert.deepInclude(outcome, { _tag: "Posted", balance: Samples.money("10") })
  })

  testOn(layer())("fails for an unknown organization, and for outdated settings", function* () {
    const run = Commits.Commits.use((_) => _.run(Samples.checkCode()))
    assert.strictEqual((yield* Effect.flip(run))._tag, "OrganizationNotFound")
    const store = yield* Store
    yield* store.createOrganization(Samples.organization())
    yield* store.changeOrganization(Samples.organizationId, (same) => same)
    assert.strictEqual((yield* Effect.flip(run))._tag, "StaleSettings")
  })

  effectTest("fails without events if the store is unavailable", function* () {
    const away = new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 2 })
    const store = Store.of({ ...MemoryStore.make(), execute: () => Effect.fail(away) })
    const run = Commits.Commits.use((_) => _.run(Samples.topUp()))
    const error = yield* Effect.flip(Effect.provide(run, layer(Layer.succeed(Store, store))))
    assert.deepStrictEqual(error, away)
  })

  effectTest("raises the events of a commit even if its caller is interrupted", function* () {
    const memory = MemoryStore.make()
    const gate = yield* Deferred.make<void>()
    const slow = Store.of({
      ...memory,
      execute: (command) => Effect.tap(memory.execute(command), () => Deferred.await(gate)),
    })
    yield* memory.createOrganization(Samples.organization())
    yield* memory.execute(Samples.topUp())
    yield* memory.execute(Samples.holdMessage())
    yield* Effect.gen(function* () {
      const events = yield* Events.Events
      const heard: Array<Event> = []
      yield* Effect.forkChild(
        Stream.runForEach(events.stream, (event) => Effect.sync(() => heard.push(event))),
      )
      yield* turns
      const outcome = { _tag: "Delivered", gatewayId: "gw-1" } as const
      const run = Commits.Commits.use((_) => _.run(Samples.recordDispatch({ outcome })))
      const fiber = yield* Effect.forkChild(run)
      yield* turns
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* turns
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(leaving)
      yield* turns
      assert.deepStrictEqual(
        heard.map(({ _tag }) => _tag),
        ["MessageSettled"],
      )
    }).pipe(Effect.provide(layer(Layer.succeed(Store, slow))))
  })
})
