/** Turns the refusals of commands into the errors of their callers, and counts them. */
import * as Effect from "effect/Effect"
import type { OwnResult } from "../../decide/Command.ts"
import { InsufficientBalance, RateLimited, TooManyPending } from "../../domain/Errors.ts"
import * as Telemetry from "../Telemetry.ts"

type Refusal = Exclude<OwnResult<"RequestVerification">, { readonly _tag: "Requested" }>

type PendingRefusal = Extract<Refusal, { readonly _tag: "TooManyPending" }>

const reasons = { Limited: "rate", Capped: "spending", Suspected: "suspicion" } as const

/** Counts a refused command and fails with the reason. */
export const refused = (
  refusal: Exclude<Refusal, PendingRefusal>,
): Effect.Effect<never, RateLimited | InsufficientBalance> =>
  Effect.andThen(
    Telemetry.countRefusal(refusal._tag),
    Effect.fail(
      refusal._tag === "Insufficient"
        ? new InsufficientBalance({ required: refusal.required, available: refusal.available })
        : new RateLimited({
            retryAfterSeconds: refusal.retryAfterSeconds,
            reason: reasons[refusal._tag],
          }),
    ),
  )

export const refusedVerification = (
  refusal: Refusal,
  limit: number,
): Effect.Effect<never, RateLimited | TooManyPending | InsufficientBalance> => {
  if (refusal._tag !== "TooManyPending") return refused(refusal)
  const { _tag, retryAfterSeconds } = refusal
  return Effect.andThen(
    Telemetry.countRefusal(_tag),
    Effect.fail(new TooManyPending({ limit, retryAfterSeconds })),
  )
}
