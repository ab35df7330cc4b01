/** Turns the refusals of commands into the errors of their callers, and counts them. */
import * as Effect from "effect/Effect"
import { unknownCodeSecret } from "./CodeSecrets.ts"
import type { OwnResult } from "../decide/Command.ts"
import {
  AlreadyConsumed,
  AlreadyVerified,
  AttemptsExhausted,
  InsufficientBalance,
  InvalidRequest,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  ResendsExhausted,
  TooManyPending,
  WrongCode,
  type StoreUnavailable,
} from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import type { ErrorOf } from "../api/Operation.ts"
import type { CheckedVerification, NotResent, verifications } from "../api/verifications.ts"
import * as Telemetry from "./Telemetry.ts"

type Unopened = Exclude<OwnResult<"RequestVerification">, { readonly _tag: "Requested" }>

type Refusal =
  | Exclude<Unopened, { readonly _tag: "RequestIdTaken" }>
  | Extract<OwnResult<"ResendVerification">, { readonly _tag: "Cooldown" }>

type PendingRefusal = Extract<Refusal, { readonly _tag: "TooManyPending" }>

const reasons = {
  Limited: "rate",
  Cooldown: "cooldown",
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

/** As `refusedVerification`, for a request whose caller may have chosen its id. */
export const refusedRequest = (
  refusal: Unopened,
  limit: number,
): Effect.Effect<never, RateLimited | TooManyPending | InsufficientBalance | InvalidRequest> => {
  if (refusal._tag !== "RequestIdTaken") return refusedVerification(refusal, limit)
  const problem = FieldProblem.make("request_id_taken", {})
  return Effect.fail(new InvalidRequest({ details: { requestId: [problem] } }))
}

export const refusedVerification = (
  refusal: Refusal,
  limit: number,
): Effect.Effect<never, RateLimited | TooManyPending | InsufficientBalance> => {
  if (refusal._tag !== "TooManyPending") return refused(refusal)
  const { retryAfterSeconds } = refusal
  return counted(refusal, new TooManyPending({ limit, retryAfterSeconds }))
}

export const refusedResend = (
  requestId: RequestId,
  refusal: Exclude<
    OwnResult<"AdmitResend" | "ResendVerification">,
    { readonly _tag: "Admitted" | "Resent" }
  >,
): Effect.Effect<never, NotResent | RateLimited | InsufficientBalance> => {
  switch (refusal._tag) {
    case "NotFound":
      return Effect.fail(new RequestNotFound())
    case "AlreadyVerified":
      return Effect.fail(new AlreadyVerified({ requestId }))
    case "AlreadyFailed":
      return Effect.fail(new AttemptsExhausted({ requestId }))
    case "Expired":
      return Effect.fail(new RequestExpired({ requestId }))
    case "ResendsExhausted":
      return Effect.fail(new ResendsExhausted({ requestId }))
    default:
      return refused(refusal)
  }
}

type CheckRefusal = Exclude<OwnResult<"CheckCode">, { readonly _tag: "Verified" }>

/** The result of a check, or the error of its caller. */
export const checked = (
  requestId: RequestId,
  outcome: OwnResult<"CheckCode">,
): Effect.Effect<CheckedVerification, NotAccepted> =>
  outcome._tag === "Verified"
    ? Effect.succeed({
        requestId,
        phoneNumber: outcome.phoneNumber,
        status: "verified",
        verifiedAt: outcome.verifiedAt,
        isFirst: outcome.isFirst,
      })
    : notAccepted(requestId, outcome)

type NotAccepted = Exclude<ErrorOf<typeof verifications.check>, InvalidRequest> | StoreUnavailable

/** Why a code was not accepted. */
export const notAccepted = (
  requestId: RequestId,
  outcome: CheckRefusal,
): Effect.Effect<never, NotAccepted> => {
  switch (outcome._tag) {
    case "WrongCode":
      return Effect.fail(new WrongCode({ requestId, attemptsRemaining: outcome.attemptsRemaining }))
    case "UnknownCodeSecret":
      return Effect.andThen(
        Effect.logWarning("A code is under a secret that this process does not have"),
        Effect.fail(unknownCodeSecret),
      )
    case "Failed":
      return Effect.fail(new AttemptsExhausted({ requestId }))
    case "Expired":
      return Effect.fail(new RequestExpired({ requestId }))
    case "NotFound":
      return Effect.fail(new RequestNotFound())
    case "AlreadyConsumed":
      return Effect.fail(new AlreadyConsumed({ requestId }))
    case "Limited":
    case "GuessesLimited":
    case "ClientLimited": {
      const { _tag, retryAfterSeconds } = outcome
      return Effect.fail(new RateLimited({ retryAfterSeconds, reason: reasons[_tag] }))
    }
  }
}
