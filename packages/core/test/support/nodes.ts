import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"

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
