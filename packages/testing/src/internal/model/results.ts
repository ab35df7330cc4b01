/**
 * Converts the engine's answers to the reference's texts, and resolves callers.
 */
import type { Caller } from "@countersign/core/services/Access"
import type { OrganizationId } from "@countersign/core/domain/Ids"
import type { SendMessageError } from "@countersign/core/services/Messages"
import type { Engine } from "@countersign/core/services/Engine"
import type {
  CancelError,
  CheckError,
  ConsumeError,
  ResendError,
} from "@countersign/core/services/Verifications"
import * as Effect from "effect/Effect"
import { cycled, type Real } from "./real.ts"
import { type Action, unknownPhone, people } from "./scenario.ts"

export type Of<T extends Action["tag"]> = Extract<Action, { readonly tag: T }>

type Failure = CancelError | CheckError | ConsumeError | ResendError | SendMessageError

const failureInWords = (error: Failure): string => {
  switch (error._tag) {
    case "InvalidRequest":
      return `InvalidRequest ${Object.keys(error.details).toSorted().join(",")}`
    case "RateLimited":
      return `RateLimited ${error.retryAfterSeconds}`
    case "TooManyPending":
      return `TooManyPending ${error.retryAfterSeconds}`
    case "InsufficientBalance":
      return `InsufficientBalance ${error.required} of ${error.available}`
    case "SendingFailed":
      return `SendingFailed ${error.status}`
    case "WrongCode":
      return `WrongCode ${error.attemptsRemaining}`
    default:
      return error._tag
  }
}

/** Returns the result of an effect as the reference's text. */
export const resultOf = <A, E extends Failure, R>(
  effect: Effect.Effect<A, E, R>,
  inWords: (value: A) => string,
): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onFailure: failureInWords, onSuccess: inWords })

export const phoneOf = (person: number): string => people[person]?.phone ?? unknownPhone

export const organizationOf = (real: Real, org: number): OrganizationId =>
  cycled(real.organizations, org)

export const callerOf = (real: Real, org: number, key: number | undefined): Caller => ({
  organization: organizationOf(real, org),
  ...(key === undefined ? {} : { key: cycled(real.keys[org] ?? [], key) }),
})

/**
 * Makes a call under an idempotency key and, if it had an effect, repeats it on the next node. The answer of the
 * repeat has to be the first answer, and the reference counts no second effect.
 */
export const repeated = Effect.fnUntraced(function* (
  real: Real,
  node: number,
  call: (idempotencyKey: string) => Effect.Effect<string, never, Engine>,
) {
  const keyed = call(real.newKey())
  const first = yield* real.untilDone(real.on(node, keyed))
  if (!/^sent by |^SendingFailed /.test(first)) return first
  const second = yield* real.untilDone(real.on(node + 1, keyed))
  return second === first ? first : `${first}, and repeated: ${second}`
})

/** Compares one call, or several concurrent calls on alternating nodes. The comparison ignores their order. */
export const compare = Effect.fnUntraced(function* <R>(
  count: number,
  expect: () => string,
  call: (index: number) => Effect.Effect<string, never, R>,
) {
  const expected = Array.from({ length: count }, expect)
  const actual = yield* Effect.forEach(expected, (_, index) => call(index), {
    concurrency: "unbounded",
  })
  // The order of the concurrent calls decides the balance in an answer. It also decides how many of them have
  // been counted when one finds too many pending requests, and so the time until the next may come.
  const blurred = (texts: ReadonlyArray<string>) =>
    count === 1
      ? texts
      : texts.map((text) => text.replace(/, \d+ left$|(?<=^TooManyPending) \d+$/, "")).toSorted()
  return { expected: blurred(expected), actual: blurred(actual) }
})
