/**
 * Converts the engine's failures into this package's errors, and its effects into promises.
 */
import type { EngineError } from "@countersign/core/domain/ErrorCode"
import * as Money from "@countersign/core/domain/Money"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Errors from "./errors.ts"

const money = (units: number): string => Money.format(Money.fromUnits(units))

const translate = (failure: EngineError): Errors.CountersignError => {
  switch (failure._tag) {
    case "AddressNotAllowed":
      return new Errors.AddressNotAllowedError()
    case "ApiKeyNotFound":
      return new Errors.ApiKeyNotFoundError()
    case "AttemptsExhausted":
      return new Errors.AttemptsExhaustedError()
    case "BrandUnusable":
      return new Errors.SenderUnusableError(failure.problem)
    case "InsufficientBalance":
      return new Errors.InsufficientBalanceError(money(failure.required), money(failure.available))
    case "InvalidRequest":
      return new Errors.InvalidRequestError(failure.details)
    case "MessageNotFound":
      return new Errors.MessageNotFoundError()
    case "NotOnWhatsApp":
      return new Errors.NotOnWhatsAppError()
    case "OrganizationExists":
      return new Errors.OrganizationExistsError()
    case "OrganizationNotFound":
      return new Errors.OrganizationNotFoundError()
    case "RateLimited":
      return new Errors.RateLimitedError(failure.retryAfterSeconds, failure.reason)
    case "RequestExpired":
      return new Errors.RequestExpiredError()
    case "RequestNotFound":
      return new Errors.RequestNotFoundError()
    case "SendingFailed":
      return new Errors.SendingFailedError(failure.status)
    case "StoreUnavailable":
      return new Errors.UnavailableError(failure.reason, failure.retryAfterSeconds)
    case "TooManyPending":
      return new Errors.TooManyPendingError(failure.limit, failure.retryAfterSeconds)
    case "Unauthorized":
      return new Errors.UnauthorizedError()
    case "WrongCode":
      return new Errors.WrongCodeError(failure.attemptsRemaining)
  }
}

/** Runs an effect of the engine. Rejects only with errors of this package. */
export type Run = <A>(effect: Effect.Effect<A, EngineError>) => Promise<A>

/**
 * Returns a `Run` over `runExit`, which runs an effect with the services of the engine. Calls are refused when
 * `isDisposed` is true.
 */
export const runner =
  (
    runExit: <A, E>(effect: Effect.Effect<A, E>) => Promise<Exit.Exit<A, E>>,
    isDisposed: () => boolean = () => false,
  ): Run =>
  async (effect) => {
    if (isDisposed()) throw new Errors.DisposedError()
    const exit = await runExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.findError(exit.cause)
    if (Result.isSuccess(failure)) throw translate(failure.success)
    // The call took longer than `dispose` waits.
    if (isDisposed() && Cause.hasInterruptsOnly(exit.cause))
      throw new Errors.DisposedError("unknown")
    throw new Errors.InternalError(Cause.squash(exit.cause))
  }
