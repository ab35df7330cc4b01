import * as TestEngine from "@countersign/testing/TestEngine"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { defaults, type Records } from "../../src/domain/organizations/RecordOptions.ts"
import { Store } from "../../src/ports/Store.ts"
import { test, testsOver } from "../../../../test/support/testsOver.ts"

/** The steps of a test, in the form of `Effect.gen`. */
export type Steps<R> = Generator<Effect.Effect<unknown, unknown, R | Scope>, unknown, never>

/** Defines tests that each get a new build of the layer. */
export const testOn = <R>(layer: Layer.Layer<R, unknown>) => testsOver(layer).effect

/** Defines tests that each get what `make` returns, with its layer. */
export const testWith =
  <R, M>(make: () => M & { readonly layer: Layer.Layer<R, unknown> }) =>
  (title: string, body: (made: M) => Steps<R>) =>
    it.effect(title, () => {
      const made = make()
      return Effect.provide(
        Effect.gen(() => body(made)),
        made.layer,
      )
    })

/** Defines tests on the engine in memory, with the defaults of all options. */
export const engineTest = testOn(TestEngine.layer())

/** The engine in memory that records this. */
export const recording = (records: Partial<Records>) =>
  TestEngine.layer({
    store: Layer.sync(Store, () => MemoryStore.make({ ...defaults, ...records })),
  })

/** Defines tests that need nothing but the clock of the test. */
export const effectTest = test.effect
