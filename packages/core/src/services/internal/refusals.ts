/** Turns the refusals of commands into the errors of their callers, and counts them. */
import * as Effect from "effect/Effect"
import type { OwnResult } from "../../decide/Command.ts"
import { InsufficientBalance, RateLimited, TooManyPending } from "../../domain/Errors.ts"
import * as Telemetry from "../Telemetry.ts"

type Refusal = Exclude<OwnResult<"RequestVerification">, { readonly _tag: "Requested" }>

type PendingRefusal = Extract<Refusal, { readonly _tag: "TooManyPending" }>

export const reasons = {
  Limited: "rate",
  GuessesLimited: "guesses",
  ClientLimited: "client",
  Capped: "spending",
  Suspected: "suspicion",
} as const

const counted = <E>({ _tag }: Refusal, error: E): Effect.Effect<never, E> =>
  Effect.andThen(Telemetry.countRefusal(_tag), Effect.fail(error))

/** Counts a refused command and fails with the reason. */
export const refused = (
  refusal: Exclude<Refusal, PendingRefusal>,
): Effect.Effect<never, RateLimited | InsufficientBalance> => {
  if (refusal._tag === "Insufficient") {
    const { available, required } = refusal
    return counted(refusal, new InsufficientBalance({ required, available }))
  }
  const { _tag, retryAfterSeconds } = refusal
  return counted(refusal, new RateLimited({ retryAfterSeconds, reason: reasons[_tag] }))
}

export const refusedVerification = (
  refusal: Refusal,
  limit: number,
): Effect.Effect<never, RateLimited | TooManyPending | InsufficientBalance> => {
  if (refusal._tag !== "TooManyPending") return refused(refusal)
  const { retryAfterSeconds } = refusal
  return counted(refusal, new TooManyPending({ limit, retryAfterSeconds }))
}
