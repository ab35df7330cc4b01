/**
 * Calls with idempotency keys, in the naive model and on the engine.
 */
import type * as Effect from "effect/Effect"
import type { ModelMessage, ModelRequest } from "./messageState.ts"
import type { addresses, RetriedTag } from "./scenario.ts"

/** How long a key is kept after the effect of its call. */
export const keptMillis = 24 * 60 * 60_000

/** The caller: an organization, by an API key from an address. */
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

/** An answer of the engine as the reference's text, and with everything that it contains. */
export interface Answer {
  readonly inWords: string
  readonly inFull: string
}

/** A call that a later action may retry. */
export interface KeyedCall {
  readonly tag: RetriedTag
  readonly model: ModelCall
  readonly make: (node: number, isOther: boolean) => Effect.Effect<Answer>
  /** The answer to the call that had the effect. */
  first: Answer
}
