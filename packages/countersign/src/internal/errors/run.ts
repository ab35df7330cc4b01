import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Errors from "./errors.ts"
import { translate } from "./translation.ts"

/** Runs an effect of the engine. Rejects only with errors of this package. */
export type Run = <A>(effect: Effect.Effect<A, EngineError>) => Promise<A>

/** Returns a `Run` over `runExit`. It refuses calls when `isDisposed` is true. */
export const runner =
  (
    runExit: <A, E>(effect: Effect.Effect<A, E>) => Promise<Exit.Exit<A, E>>,
    isDisposed: () => boolean = () => false,
  ): Run =>
  async (effect) => {
    if (isDisposed()) throw new Errors.DisposedError({ status: "refused" })
    const exit = await runExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.findError(exit.cause)
    if (Result.isSuccess(failure)) throw translate(failure.success)
    // The call took longer than `dispose` waits.
    if (isDisposed() && Cause.hasInterruptsOnly(exit.cause))
      throw new Errors.DisposedError({ status: "unknown" })
    throw new Errors.InternalError(undefined, { cause: Cause.squash(exit.cause) })
  }
