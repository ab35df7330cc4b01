/**
 * Converts the engine's answers to the reference's texts, and resolves callers.
 */
import type { Caller } from "@countersign/core/api/Caller"
import type { MessageNotFound, NotQueued } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { SendMessageError } from "@countersign/core/services/Messages"
import type {
  CancelError,
  CheckError,
  ConsumeError,
  ResendError,
  SendError,
  VerifyError,
} from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import type { Answer } from "./keyedCalls.ts"
import { cycled, type Real } from "./real.ts"
import { unknownPhone, people } from "./scenario.ts"

type Failure =
  | CancelError
  | CheckError
  | ConsumeError
  | MessageNotFound
  | NotQueued
  | ResendError
  | SendError
  | SendMessageError
  | VerifyError

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

/** Returns the result of an effect as the reference's text, and in full. */
export const answerOf = <A, E extends Failure, R>(
  effect: Effect.Effect<A, E, R>,
  inWords: (value: A) => string,
): Effect.Effect<Answer, never, R> =>
  Effect.match(effect, {
    onFailure: (error) => ({ inWords: failureInWords(error), inFull: failureInWords(error) }),
    onSuccess: (value) => ({ inWords: inWords(value), inFull: JSON.stringify(value) }),
  })

/** Returns the result of an effect as the reference's text. */
export const resultOf = <A, E extends Failure, R>(
  effect: Effect.Effect<A, E, R>,
  inWords: (value: A) => string,
): Effect.Effect<string, never, R> =>
  Effect.map(answerOf(effect, inWords), ({ inWords }) => inWords)

export const phoneOf = (person: number): string => people[person]?.phone ?? unknownPhone

export const organizationOf = (real: Real, org: number): OrganizationId =>
  cycled(real.organizations, org)

export const callerOf = (real: Real, org: number, key: number | undefined): Caller => ({
  organization: organizationOf(real, org),
  ...(key === undefined ? {} : { apiKeyId: cycled(real.keys[org] ?? [], key) }),
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

/** Compares one call. */
export const compareOne = <R>(expect: () => string, call: Effect.Effect<string, never, R>) =>
  compare(1, expect, () => call)
