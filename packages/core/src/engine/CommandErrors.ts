/** Turns the refusals of commands into the errors of their callers, and counts them. */
import * as Effect from "effect/Effect"
import { unknownCodeSecret } from "./CodeSecrets.ts"
import type { OwnResult } from "../decide/Command.ts"
import * as Errors from "../domain/errors/Errors.ts"
import { QueuedElsewhere } from "./Commits.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import type { ErrorOf } from "../api/Operation.ts"
import type { NotResent, verifications } from "../api/verifications.ts"
import * as Telemetry from "./Telemetry.ts"

type Unopened = Exclude<OwnResult<"RequestVerification">, { readonly _tag: "Requested" }>

type Refusal =
  | OptedOut
  | Extract<OwnResult<"HoldMessage">, { readonly _tag: "Quiet" }>
  | Exclude<Unopened, { readonly _tag: "RequestIdTaken" | "NotQueued" }>
  | Extract<OwnResult<"ResendVerification">, { readonly _tag: "Cooldown" }>

type OptedOut = Extract<OwnResult<"HoldMessage">, { readonly _tag: "OptedOut" }>

type PendingRefusal = Extract<Refusal, { readonly _tag: "TooManyPending" }>

const reasons = {
  Limited: "rate",
  Quiet: "quiet_hours",
  Cooldown: "cooldown",
  GuessesLimited: "guesses",
  ClientLimited: "client",
  Capped: "spending",
  Suspected: "suspicion",
} as const

const counted = <E>({ _tag }: Refusal, error: E): Effect.Effect<never, E> =>
  Effect.andThen(Telemetry.increment(Telemetry.refusals, { reason: _tag }), Effect.fail(error))

/** The outbox handles it. No other call names a queued send. */
export const notQueued = Effect.die(new QueuedElsewhere())

/** Counts a refused command and fails with the reason. */
export const refused = (
  refusal: Exclude<Refusal, PendingRefusal | OptedOut>,
): Effect.Effect<never, Errors.RateLimited | Errors.InsufficientBalance> => {
  if (refusal._tag === "Insufficient") {
    const { available, required } = refusal
    return counted(refusal, new Errors.InsufficientBalance({ required, available }))
  }
  const { _tag, retryAfterSeconds } = refusal
  return counted(refusal, new Errors.RateLimited({ retryAfterSeconds, reason: reasons[_tag] }))
}

/** As `refused`, for a message that carries no code. */
export const refusedMessage = (
  refusal: Exclude<
    OwnResult<"AdmitMessage" | "HoldMessage">,
    { readonly _tag: "Admitted" | "Held" | "NotQueued" }
  >,
): Effect.Effect<never, Errors.RateLimited | Errors.InsufficientBalance | Errors.OptedOut> =>
  refusal._tag === "OptedOut" ? counted(refusal, new Errors.OptedOut()) : refused(refusal)

/** As `refused`, for a new request. */
export const refusedRequest = (
  refusal: Unopened,
  limit: number,
): Effect.Effect<
  never,
  Errors.RateLimited | Errors.TooManyPending | Errors.InsufficientBalance | Errors.InvalidRequest
> => {
  if (refusal._tag === "RequestIdTaken") {
    const problem = FieldProblem.make("request_id_taken", {})
    return Effect.fail(new Errors.InvalidRequest({ details: { requestId: [problem] } }))
  }
  if (refusal._tag === "NotQueued") return notQueued
  if (refusal._tag !== "TooManyPending") return refused(refusal)
  const { retryAfterSeconds } = refusal
  return counted(refusal, new Errors.TooManyPending({ limit, retryAfterSeconds }))
}

interface About {
  readonly requestId: RequestId
}

/** Keeps which error belongs to which result. */
const byResult = <E>(errors: { readonly [T in keyof E]: (about: About) => E[T] }) => errors

const requestErrors = byResult({
  NotFound: () => new Errors.RequestNotFound(),
  NotVerified: (about) => new Errors.NotVerified(about),
  AlreadyVerified: (about) => new Errors.AlreadyVerified(about),
  AlreadyConsumed: (about) => new Errors.AlreadyConsumed(about),
  AlreadyFailed: (about) => new Errors.AttemptsExhausted(about),
  Failed: (about) => new Errors.AttemptsExhausted(about),
  Expired: (about) => new Errors.RequestExpired(about),
  ResendsExhausted: (about) => new Errors.ResendsExhausted(about),
})

type RequestResult = keyof typeof requestErrors

export const requestError = <T extends RequestResult>(
  requestId: RequestId,
  { _tag }: { readonly _tag: T },
) => requestErrors[_tag]({ requestId })

const isOfRequest = <R extends { readonly _tag: string }>(
  result: R,
): result is Extract<R, { readonly _tag: RequestResult }> => result._tag in requestErrors

export const refusedResend = (
  requestId: RequestId,
  refusal: Exclude<
    OwnResult<"AdmitResend" | "ResendVerification">,
    { readonly _tag: "Admitted" | "Resent" }
  >,
): Effect.Effect<never, NotResent | Errors.RateLimited | Errors.InsufficientBalance> =>
  isOfRequest(refusal) ? Effect.fail(requestError(requestId, refusal)) : refused(refusal)

/** Why a code was not accepted. */
export const notAccepted = (
  requestId: RequestId,
  result: Exclude<OwnResult<"CheckCode">, { readonly _tag: "Verified" }>,
): Effect.Effect<
  never,
  Exclude<ErrorOf<typeof verifications.check>, Errors.InvalidRequest> | Errors.StoreUnavailable
> => {
  if (isOfRequest(result)) return Effect.fail(requestError(requestId, result))
  if (result._tag === "UnknownCodeSecret") {
    return Effect.andThen(
      Effect.logWarning("A code is under a secret that this process does not have"),
      Effect.fail(unknownCodeSecret),
    )
  }
  if (result._tag === "WrongCode") {
    return Effect.fail(
      new Errors.WrongCode({ requestId, attemptsRemaining: result.attemptsRemaining }),
    )
  }
  const { _tag, retryAfterSeconds } = result
  return Effect.fail(new Errors.RateLimited({ retryAfterSeconds, reason: reasons[_tag] }))
}
