import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Money from "@countersign/core/domain/values/Money"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Match from "effect/Match"
import * as Result from "effect/Result"
import * as Errors from "./errors.ts"
import { unreadable } from "./unreadable.ts"

const money = (units: number): string => Money.format(Money.fromUnits(units))

/** The error of this package for an error of the engine. */
export const translate = Match.typeTags<EngineError, Errors.CountersignError>()({
  AddressNotAllowed: () => new Errors.AddressNotAllowedError(),
  AlreadyConsumed: () => new Errors.AlreadyConsumedError(),
  AlreadyVerified: () => new Errors.AlreadyVerifiedError(),
  ApiKeyNotFound: () => new Errors.ApiKeyNotFoundError(),
  AttemptsExhausted: () => new Errors.AttemptsExhaustedError(),
  BrandNotFound: () => new Errors.SenderNotFoundError(),
  BrandUnusable: (failure) => new Errors.SenderUnusableError(failure.problem),
  IdempotencyInFlight: (failure) => new Errors.IdempotencyInFlightError(failure.retryAfterSeconds),
  IdempotencyMismatch: () => new Errors.IdempotencyMismatchError(),
  InsufficientBalance: (failure) =>
    new Errors.InsufficientBalanceError(money(failure.required), money(failure.available)),
  InsufficientScope: () => new Errors.InsufficientScopeError(),
  InvalidRequest: (failure) => new Errors.InvalidRequestError(failure.details),
  MessageNotFound: () => new Errors.MessageNotFoundError(),
  NotOnWhatsApp: () => new Errors.NotOnWhatsAppError(),
  NotVerified: () => new Errors.NotVerifiedError(),
  OrganizationExists: () => new Errors.OrganizationExistsError(),
  OrganizationNotFound: () => new Errors.OrganizationNotFoundError(),
  RateLimited: (failure) => new Errors.RateLimitedError(failure.retryAfterSeconds, failure.reason),
  RequestExpired: () => new Errors.RequestExpiredError(),
  RequestNotFound: () => new Errors.RequestNotFoundError(),
  ResendsExhausted: () => new Errors.ResendsExhaustedError(),
  SendingFailed: (failure) => new Errors.SendingFailedError(failure),
  StoreUnavailable: (failure) =>
    new Errors.UnavailableError(failure.reason, failure.retryAfterSeconds),
  TooManyPending: (failure) =>
    new Errors.TooManyPendingError(failure.limit, failure.retryAfterSeconds),
  Unauthorized: () => new Errors.UnauthorizedError(),
  WebhookNotFound: () => new Errors.WebhookNotFoundError(),
  WrongCode: (failure) => new Errors.WrongCodeError(failure.attemptsRemaining),
})

/**
 * Runs an effect of the engine. Rejects only with errors of this package. A call that cannot read its arguments is an
 * invalid request.
 */
export type Run = <A>(
  effect: Effect.Effect<A, EngineError>,
  args?: ReadonlyArray<unknown>,
) => Promise<A>

/** Returns a `Run` over `runExit`. It refuses calls when `isDisposed` is true. */
export const runner =
  (
    runExit: <A, E>(effect: Effect.Effect<A, E>) => Promise<Exit.Exit<A, E>>,
    isDisposed: () => boolean = () => false,
  ): Run =>
  async (effect, args = []) => {
    if (isDisposed()) throw new Errors.DisposedError()
    const exit = await runExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.findError(exit.cause)
    if (Result.isSuccess(failure)) throw translate(failure.success)
    // The call took longer than `dispose` waits.
    if (isDisposed() && Cause.hasInterruptsOnly(exit.cause))
      throw new Errors.DisposedError("unknown")
    const error = Cause.squash(exit.cause)
    const problem = unreadable(args, error)
    throw problem === undefined ? new Errors.InternalError(error) : translate(problem)
  }
