import * as TestEngine from "@countersign/testing/TestEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Gateway } from "../../src/ports/Gateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Engine from "../../src/Engine.ts"
import { engineOver } from "./engineOver.ts"

/** Two engines over one store, as two processes over one database would be. */
export const twoNodes = Effect.fnUntraced(function* (
  options: Omit<TestEngine.Options, "store"> = {},
  store: Store["Service"] = MemoryStore.make(),
) {
  const shared = Layer.succeed(Store, store)
  const build = (seed: number) => Layer.build(TestEngine.layer({ ...options, store: shared, seed }))
  const contexts = { here: yield* build(1), there: yield* build(2) }
  const on =
    (context: Effect.Success<ReturnType<typeof build>>) =>
    <A, E>(effect: Effect.Effect<A, E, TestEngine.TestEngine>): Effect.Effect<A, E> =>
      Effect.provide(effect, context)
  return { store, here: on(contexts.here), there: on(contexts.there) }
})

/** Two nodes over one store and a gateway. The first is killed before it records the outcome of a dispatch. */
export const dyingNode = Effect.fnUntraced(function* (gateway: Layer.Layer<Gateway>) {
  const store = MemoryStore.make()
  const stopped = yield* Deferred.make<void>()
  const dying = Store.of({
    ...store,
    execute: (command) =>
      command._tag === "RecordDispatch"
        ? Effect.andThen(Deferred.succeed(stopped, undefined), Effect.never)
        : store.execute(command),
  })
  // A node that is killed closes nothing.
  const never = Scope.makeUnsafe()
  const node = (own: Store["Service"]) =>
    Layer.buildWithScope(engineOver(gateway, Engine.layer, Layer.succeed(Store, own)), never)
  const first = yield* node(dying)
  const second = yield* node(store)
  return {
    /** Runs until the node is killed. */
    first: <A, E>(effect: Effect.Effect<A, E, Engine.Engine>) =>
      Effect.andThen(
        Effect.forkDetach(Effect.provide(effect, first), { startImmediately: true }),
        Deferred.await(stopped),
      ),
    second: <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof engineOver>>>) =>
      Effect.provide(effect, second),
  }
})
