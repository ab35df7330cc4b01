/**
 * Tests whose bodies are generators, over the services of a layer.
 */
import { it, type TestContext } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

type Body<R, Args extends ReadonlyArray<unknown>> = (
  ...args: Args
) => Effect.fn.Return<unknown, unknown, R | Scope.Scope>

const testsWith = <R, E>(run: typeof it.effect, layer: Layer.Layer<R, E>) => {
  const provided = <Args extends Array<unknown>>(body: Body<R, Args>) => {
    const call = Effect.fnUntraced(body)
    return (...args: Args) => Effect.provide(call(...args), layer)
  }
  const test = (title: string, body: Body<R, [TestContext]>, timeout?: number): void =>
    run(title, provided(body), timeout)
  const each =
    <const A>(rows: ReadonlyArray<A>) =>
    (title: string, body: Body<R, [row: A, TestContext]>): void =>
      run.each(rows)(title, provided(body))
  return Object.assign(test, { each })
}

/** The `it.effect` and `it.live` of a layer, which each test builds again. Each test has a scope. */
export const testsOver = <R = never, E = never>(layer: Layer.Layer<R, E>) => ({
  effect: testsWith(it.effect, layer),
  live: testsWith(it.live, layer),
})

/** The same without services. */
export const test = testsOver(Layer.empty)
