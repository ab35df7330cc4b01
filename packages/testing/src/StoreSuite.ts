/**
 * The contract of the `Store` port as tests. A store's own test calls `suite` once and adds tests for the
 * store's own features.
 *
 * The tests run under `TestClock`: the store has to take its time from the Effect `Clock`. Real input and
 * output work as usual. Sleeps and timeouts inside the store end only when the test advances the clock.
 */
import { Store } from "@countersign/core/ports/Store"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { sections } from "./internal/store-suite/sections.ts"
import type { Test } from "./internal/store-suite/support.ts"
import * as Samples from "./Samples.ts"

export interface Options {
  /**
   * Longest time that a test may take, in milliseconds, including the start of its store.
   * @defaultValue 30,000
   */
  readonly timeoutMillis?: number | undefined
}

/** Tests a store. The layer is built once per test and has to give an empty store each time. */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Store, E>,
  options: Options = {},
): void => {
  const timeout = options.timeoutMillis ?? 30_000
  const test: Test = (title, body) =>
    it.effect(
      title,
      () =>
        Effect.andThen(
          TestClock.setTime(Samples.now),
          Effect.provide(Effect.flatMap(Store, Effect.fnUntraced(body)), layer),
        ),
      timeout,
    )

  describe(`Store: ${name}`, () => {
    for (const [title, tests] of sections) {
      describe(title, () => {
        tests(test)
      })
    }
  })
}
