/**
 * Calls with idempotency keys, and their retries. The same caller retries at once, and later in the history with the
 * same input or with another one.
 */
import type { Engine } from "@countersign/core/Engine"
import * as Effect from "effect/Effect"
import type { Answer, KeyedCall, ModelCall, ModelCaller } from "./keyedCalls.ts"
import { cycled, type Real } from "./real.ts"
import type { Action, RetriedTag } from "./scenario.ts"
import type { Reference } from "./reference.ts"
import { compare } from "./results.ts"
import { learnRequests } from "./learn.ts"

/** A call that may be made with its own input, or with another one. */
interface Playing extends ModelCaller {
  readonly tag: RetriedTag
  readonly node: number
  readonly request?: ModelCall["request"]
  readonly expect: ModelCall["answer"]
  readonly call: (isOther: boolean, idempotencyKey: string) => Effect.Effect<Answer, never, Engine>
}

const makeKeyed = ({ call, node }: Playing, real: Real) => {
  const idempotencyKey = real.newKey()
  return (next: number, isOther: boolean): Effect.Effect<Answer> =>
    real.untilDone(real.on(node + next, call(isOther, idempotencyKey)))
}

/**
 * Makes a call and, if it had an effect, repeats it on the next node. The answer of the repeat has to be the first
 * answer, and the reference counts no second effect.
 */
const makeTwice = Effect.fnUntraced(function* (make: KeyedCall["make"]) {
  const first = yield* make(0, false)
  if (!/^sent by |^SendingFailed |^consumed /.test(first.inWords)) return { first, both: first }
  const { inFull } = yield* make(1, false)
  const inWords = `${first.inWords}, and repeated: ${inFull}`
  return { first, both: inFull === first.inFull ? first : { inWords, inFull } }
})

/** Plays one call, which may be retried later, or several at once, each with its own key. */
export const keyed = (playing: Playing, count: number, reference: Reference, real: Real) => {
  const { address, expect, key, org, request, tag } = playing
  const model: ModelCall = { org, key, address, request, answer: expect, effect: undefined }
  return compare(
    count,
    () => (count === 1 ? reference.keyed(model) : expect(false)),
    (index) => {
      const make = makeKeyed({ ...playing, node: playing.node + index }, real)
      return Effect.map(makeTwice(make), ({ both, first }) => {
        if (count === 1) real.calls.push({ tag, model, make, first })
        return both.inWords
      })
    },
  )
}

/** Retries an earlier call. A call that had no effect is made as if for the first time. */
export const retry = Effect.fnUntraced(function* (
  { call, isOther, node, of }: Action<"retry">,
  reference: Reference,
  real: Real,
) {
  if (real.calls.length === 0) return
  const wanted = real.calls.filter(({ model, tag }) => tag === of && model.effect !== undefined)
  const retried = cycled((wanted.length === 0 ? real.calls : wanted).toReversed(), call)
  const { effect } = retried.model
  const expected = reference.keyed(retried.model, isOther)
  const answer = yield* retried.make(node, isOther)
  yield* learnRequests(real, reference)
  const isFirst = effect === undefined || retried.model.effect !== effect
  if (isFirst) retried.first = answer
  const isKept = isFirst || expected !== effect.answer || answer.inFull === retried.first.inFull
  const inWords = (text: string) => (isFirst ? text : `after its effect: ${text}`)
  return {
    expected: [inWords(expected)],
    actual: [inWords(isKept ? answer.inWords : `${answer.inFull}, not ${retried.first.inFull}`)],
  }
})
