/**
 * The part of the store that keeps the ids of the peppers that processes have used. They belong to no organization,
 * and there are few of them. A store that ends with its process keeps none.
 */
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { RegisteredPepper } from "../domain/access/RegisteredPepper.ts"

/** Maximum number of peppers that are read. */
export const maxPeppers = 100

export interface PepperStore {
  /** The peppers, the last used first, at most `maxPeppers`, and the time in epoch milliseconds. */
  readonly peppers: Effect.Effect<
    { readonly now: number; readonly registered: ReadonlyArray<RegisteredPepper> },
    StoreUnavailable
  >

  /** Registers a pepper if none is. Returns `false` if another process was faster. Durable when it returns. */
  readonly addFirstPepper: (id: string) => Effect.Effect<boolean, StoreUnavailable>

  /** Records that a process has started with these peppers. Durable when it returns. */
  readonly usePeppers: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>

  /** Removes peppers, so that the next start need not know them. */
  readonly forgetPeppers: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
}
