/**
 * Calls with idempotency keys, in the naive model.
 */
import type { ModelMessage, ModelRequest } from "./messageState.ts"
import type { addresses } from "./scenario.ts"

/** How long a key is kept after the effect of its call. */
export const keptMillis = 24 * 60 * 60_000

/** Who calls: an organization, by an API key from an address. */
export interface ModelCaller {
  readonly org: number
  readonly key: number | undefined
  readonly address?: (typeof addresses)[number]
}

/** A call with a key, and its latest effect. */
export interface ModelCall extends ModelCaller {
  /** The request that the call is about, if it is about one. */
  readonly request?: ModelRequest | undefined
  /** Makes the call with its own input, or with another one. Returns the answer without regard to the key. */
  readonly answer: (isOther: boolean) => string
  effect: CallEffect | undefined
}

export interface CallEffect {
  readonly at: number
  readonly answer: string
  /** Whether the call was made with its other input. */
  readonly isOther: boolean
  /** The message that was charged; `undefined` if a request was used up. */
  readonly message: ModelMessage | undefined
}
