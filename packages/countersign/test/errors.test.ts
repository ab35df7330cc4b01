import { codes } from "@countersign/core/domain/errors/ErrorCode"
import { assert, describe, expectTypeOf, it, vi } from "vitest"
import * as Countersign from "../src/index.ts"

const { fieldProblem } = Countersign

/** One error of each code. */
const errors: { readonly [E in Countersign.CountersignError as E["code"]]: E } = {
  address_not_allowed: new Countersign.AddressNotAllowedError(),
  webhook_not_found: new Countersign.WebhookNotFoundError(),
  api_key_not_found: new Countersign.ApiKeyNotFoundError(),
  already_consumed: new Countersign.AlreadyConsumedError(),
  already_verified: new Countersign.AlreadyVerifiedError(),
  not_verified: new Countersign.NotVerifiedError(),
  resends_exhausted: new Countersign.ResendsExhaustedError(),
  attempts_exhausted: new Countersign.AttemptsExhaustedError(),
  configuration: new Countersign.ConfigurationError("no secret"),
  disposed: new Countersign.DisposedError(),
  idempotency_in_flight: new Countersign.IdempotencyInFlightError(3),
  idempotency_mismatch: new Countersign.IdempotencyMismatchError(),
  insufficient_balance: new Countersign.InsufficientBalanceError("0.50", "0.00"),
  insufficient_scope: new Countersign.InsufficientScopeError(),
  internal: new Countersign.InternalError(new Error("a bug")),
  invalid_request: new Countersign.InvalidRequestError({
    text: [fieldProblem("length_out_of_range", { min: 1, max: 1_600 })],
    to: [fieldProblem("too_long", { max: 32 }), fieldProblem("not_phone_number", {})],
  }),
  message_not_found: new Countersign.MessageNotFoundError(),
  not_on_whatsapp: new Countersign.NotOnWhatsAppError(),
  organization_exists: new Countersign.OrganizationExistsError(),
  organization_not_found: new Countersign.OrganizationNotFoundError(),
  rate_limited: new Countersign.RateLimitedError(7),
  request_expired: new Countersign.RequestExpiredError(),
  request_not_found: new Countersign.RequestNotFoundError(),
  sender_not_found: new Countersign.SenderNotFoundError(),
  sender_unusable: new Countersign.SenderUnusableError(fieldProblem("brand_not_found", {})),
  sending_failed: new Countersign.SendingFailedError({
    status: "failed",
    reason: "account",
    gateway: "twilio",
    vendorCode: "20003",
    vendorMessage: "20003: Authenticate",
  }),
  start: new Countersign.StartError("no database"),
  too_many_pending: new Countersign.TooManyPendingError(5, 12),
  unauthorized: new Countersign.UnauthorizedError(),
  unavailable: new Countersign.UnavailableError("timeout", 1),
  wrong_code: new Countersign.WrongCodeError(2),
}

const all: ReadonlyArray<Countersign.CountersignError> = Object.values(errors)

const values = [undefined, null, 5, "wrong_code", {}, { code: "wrong_code" }, new Error("other")]

describe("CountersignError", () => {
  it.each(all)("is the type of %s, with its code and its status", (error) => {
    assert.isTrue(error instanceof Countersign.CountersignError)
    assert.isTrue(Countersign.isCountersignError(error))
    assert.strictEqual(errors[error.code], error)
    assert.strictEqual(error.httpStatus, Countersign.httpStatuses[error.code])
  })

  it("has every code of the engine", () => {
    assert.includeMembers(Object.keys(Countersign.httpStatuses), Object.values(codes))
  })

  it.each(values)("is not the type of %j", (value) => {
    assert.isFalse(value instanceof Countersign.CountersignError)
    assert.isFalse(Countersign.isCountersignError(value))
  })

  it("recognizes errors of another copy of the package", async () => {
    vi.resetModules()
    const other = await import("../src/index.ts")
    const error: unknown = new other.WrongCodeError(2)
    assert.isFalse(error instanceof Countersign.WrongCodeError)
    assert.isTrue(error instanceof Countersign.CountersignError)
    assert.isTrue(Countersign.isCountersignError(error))
    assert.isTrue(other.isCountersignError(errors.wrong_code))
  })

  it("hides its mark in output and in copies", () => {
    assert.deepStrictEqual<unknown>(
      { ...errors.wrong_code },
      { code: "wrong_code", attemptsRemaining: 2 },
    )
    assert.deepStrictEqual(Object.getOwnPropertySymbols(errors.wrong_code), [])
  })
})

describe("The details of an invalid request", () => {
  it("contain the problems of each field, and the message contains their sentences", () => {
    const { details, message } = errors.invalid_request
    assert.deepStrictEqual(details["to"]?.[0], {
      code: "too_long",
      params: { max: 32 },
      message: "must be at most 32 characters",
    })
    assert.strictEqual(
      message,
      "text must have between 1 and 1600 characters; to must be at most 32 characters; to must be a phone number",
    )
  })
})

const unreachable = (value: never): never => value

describe("The type of an error", () => {
  it("is narrowed by code, and accepts no other code", () => {
    const detailOf = (error: unknown): string | number => {
      if (!Countersign.isCountersignError(error)) return "another"
      switch (error.code) {
        case "wrong_code":
          expectTypeOf(error).toEqualTypeOf<Countersign.WrongCodeError>()
          expectTypeOf(error.httpStatus).toEqualTypeOf<400>()
          return error.attemptsRemaining
        case "idempotency_in_flight":
          expectTypeOf(error.httpStatus).toEqualTypeOf<409>()
          return error.retryAfterSeconds
        case "rate_limited":
        case "too_many_pending":
        case "unavailable":
          expectTypeOf(error.httpStatus).toEqualTypeOf<429 | 503>()
          return error.retryAfterSeconds
        case "insufficient_balance":
          return error.required
        case "sender_unusable":
          return error.problem.message
        case "invalid_request":
          return Object.keys(error.details).join()
        case "disposed":
          expectTypeOf(error.status).toEqualTypeOf<"refused" | "unknown">()
          return error.status
        case "sending_failed":
          expectTypeOf(error.status).toEqualTypeOf<"failed" | "unknown">()
          return error.status
        case "address_not_allowed":
        case "already_consumed":
        case "already_verified":
        case "api_key_not_found":
        case "attempts_exhausted":
        case "configuration":
        case "idempotency_mismatch":
        case "insufficient_scope":
        case "internal":
        case "message_not_found":
        case "not_on_whatsapp":
        case "not_verified":
        case "resends_exhausted":
        case "organization_exists":
        case "organization_not_found":
        case "request_expired":
        case "request_not_found":
        case "sender_not_found":
        case "start":
        case "unauthorized":
        case "webhook_not_found":
          return error.httpStatus
        default:
          return unreachable(error)
      }
    }
    assert.deepStrictEqual(
      [errors.wrong_code, errors.rate_limited, errors.invalid_request, errors.start, 5].map(
        detailOf,
      ),
      [2, 7, "text,to", 500, "another"],
    )
  })

  it("is narrowed by instanceof, by the base class and by each class", () => {
    const detailOf = (error: unknown): number => {
      if (error instanceof Countersign.WrongCodeError) {
        expectTypeOf(error).toEqualTypeOf<Countersign.WrongCodeError>()
        return error.attemptsRemaining
      }
      if (!(error instanceof Countersign.CountersignError)) return 0
      expectTypeOf(error).toEqualTypeOf<Countersign.CountersignError>()
      return "retryAfterSeconds" in error ? error.retryAfterSeconds : error.httpStatus
    }
    assert.deepStrictEqual(
      [errors.wrong_code, errors.too_many_pending, errors.start, 5].map(detailOf),
      [2, 12, 500, 0],
    )
  })

  it("has all codes, and the union of the statuses", () => {
    expectTypeOf<Countersign.CountersignError["code"]>().toEqualTypeOf<Countersign.ErrorCode>()
    expectTypeOf<Countersign.CountersignError["httpStatus"]>().toEqualTypeOf<
      400 | 401 | 402 | 403 | 404 | 409 | 410 | 422 | 429 | 500 | 503
    >()
    expectTypeOf<keyof typeof errors>().toEqualTypeOf<Countersign.ErrorCode>()
  })
})
