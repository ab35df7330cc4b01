/**
 * Effects that hold on to something, used from tests that are written with promises.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

export interface TemporaryScope {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>
  /** Gives everything back that `run` has taken. */
  readonly close: () => Promise<void>
}

export const temporaryScope = (): TemporaryScope => {
  const scope = Scope.makeUnsafe()
  return {
    run: (effect) => Effect.runPromise(Scope.provide(effect, scope)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
