import * as Errors from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import { assert, describe, expectTypeOf, it, vi } from "vitest"
import * as Countersign from "../src/index.ts"
import { runner } from "../src/internal/errors/run.ts"
import { failure } from "./support/values.ts"

const { fieldProblem } = Countersign

const requestId = "vrf_1"

const wrong = new Countersign.WrongCodeError({ requestId, attemptsRemaining: 2 })

const limited = new Countersign.RateLimitedError({ reason: "cooldown", retryAfterSeconds: 7 })

const run = runner((effect) => Effect.runPromiseExit(effect))

const values = [undefined, null, 5, "wrong_code", {}, { code: "wrong_code" }, new Error("other")]

describe("CountersignError", () => {
  it("is the type of every error, which has its code, status, address and what it knows", () => {
    assert.isTrue(wrong instanceof Countersign.CountersignError)
    assert.isTrue(Countersign.isCountersignError(wrong))
    assert.deepStrictEqual(
      [wrong, limited].map((error) => [
        error.name,
        error.code,
        error.httpStatus,
        error.docs,
        error.requestId,
        error.retryAfterSeconds,
      ]),
      [
        ["WrongCodeError", "wrong_code", 400, "docs/errors.md#wrong_code", requestId, undefined],
        ["RateLimitedError", "rate_limited", 429, "docs/errors.md#rate_limited", undefined, 7],
      ],
    )
  })

  it.each(values)("is not the type of %j", (value) => {
    assert.isFalse(value instanceof Countersign.CountersignError)
    assert.isFalse(Countersign.isCountersignError(value))
  })

  it("recognizes errors of another copy of the package", async () => {
    vi.resetModules()
    const other = await import("../src/index.ts")
    const error: unknown = new other.WebhookNotFoundError()
    assert.isFalse(error instanceof Countersign.WebhookNotFoundError)
    assert.isTrue(error instanceof Countersign.CountersignError)
    assert.isTrue(Countersign.isCountersignError(error))
    assert.isTrue(other.isCountersignError(wrong))
  })

  it("hides its mark in output and in copies", () => {
    assert.deepStrictEqual<unknown>(
      { ...wrong },
      { code: "wrong_code", requestId, attemptsRemaining: 2 },
    )
    assert.deepStrictEqual(Object.getOwnPropertySymbols(wrong), [])
  })

  it("is narrowed by its code, and by its class", () => {
    const detailOf = (error: unknown): string | number | undefined => {
      if (!(error instanceof Countersign.CountersignError)) return "another"
      expectTypeOf(error).toEqualTypeOf<Countersign.CountersignError>()
      if (error instanceof Countersign.SendingFailedError) return error.reason
      switch (error.code) {
        case "wrong_code":
          expectTypeOf(error).toEqualTypeOf<Countersign.WrongCodeError>()
          expectTypeOf(error.httpStatus).toEqualTypeOf<400>()
          expectTypeOf(error.requestId).toEqualTypeOf<string>()
          return error.attemptsRemaining
        case "rate_limited":
        case "unavailable":
          expectTypeOf(error.httpStatus).toEqualTypeOf<429 | 503>()
          expectTypeOf(error.retryAfterSeconds).toEqualTypeOf<number>()
          return error.retryAfterSeconds
        default:
          expectTypeOf(error.retryAfterSeconds).toEqualTypeOf<number | undefined>()
          return error.retryAfterSeconds
      }
    }
    assert.deepStrictEqual([wrong, limited, 5].map(detailOf), [2, 7, "another"])
  })
})

describe("an error of the engine", () => {
  it("rejects with the error of its code, with its parameters and its message", async () => {
    const error = await failure(
      run(Effect.fail(new Errors.WrongCode({ requestId, attemptsRemaining: 2 }))),
    )
    assert.instanceOf(error, Countersign.WrongCodeError)
    assert.strictEqual(error.message, "Wrong code; attempts left: 2")
    assert.strictEqual(error.attemptsRemaining, 2)
  })

  it.each([
    new Errors.AttemptsExhausted({ requestId }),
    new Errors.NotVerified({ requestId }),
    new Errors.SenderNotFound(),
    new Errors.SenderUnusable({ problem: fieldProblem("brand_not_found", {}) }),
    new Errors.TooManyPending({ limit: 5, retryAfterSeconds: 7 }),
  ])("rejects with its code, parameters and message: $code", async (refusal) => {
    const error = await failure(run(Effect.fail(refusal)))
    assert.deepInclude(Object(error), { code: refusal.code, message: refusal.message })
    assert.containsSubset(refusal, { ...error })
  })

  it("has amounts as decimals", async () => {
    const error = await failure(
      run(Effect.fail(new Errors.InsufficientBalance({ required: 5_000, available: 100 }))),
    )
    assert.instanceOf(error, Countersign.InsufficientBalanceError)
    assert.deepStrictEqual([error.required, error.available], ["0.50", "0.01"])
    assert.include(error.message, "0.50 is needed, and 0.01 is available")
  })

  it("has the problems of each field, and their sentences in its message", async () => {
    const details = {
      text: [FieldProblem.make("length_out_of_range", { min: 1, max: 1_600 })],
      to: [FieldProblem.make("too_long", { max: 32 }), FieldProblem.make("not_phone_number", {})],
    }
    const error = await failure(run(Effect.fail(new Errors.InvalidRequest({ details }))))
    assert.instanceOf(error, Countersign.InvalidRequestError)
    assert.deepStrictEqual(error.details, details)
    assert.strictEqual(
      error.message,
      "text must have between 1 and 1600 characters; to must be at most 32 characters; to must be a phone number",
    )
  })

  it("names the gateway of a message that was not sent, and its reason", async () => {
    const unsent = {
      status: "failed",
      reason: "account",
      gateway: "twilio",
      vendorCode: "20003",
      vendorMessage: "20003: Authenticate",
    } as const
    const error = await failure(run(Effect.fail(new Errors.SendingFailed(unsent))))
    assert.deepStrictEqual<unknown>({ ...error }, { code: "sending_failed", ...unsent })
    assert.strictEqual(
      error.message,
      "The message could not be sent (twilio, account): 20003: Authenticate",
    )
    const silent = Effect.fail(new Errors.SendingFailed({ ...unsent, vendorMessage: null }))
    const { message } = await failure(run(silent))
    assert.strictEqual(message, "The message could not be sent (twilio, account)")
  })

  it("does not blame a defect on the caller", async () => {
    const bug = new Error("a bug")
    const error = await failure(run(Effect.die(bug)))
    assert.instanceOf(error, Countersign.InternalError)
    assert.strictEqual(error.cause, bug)
    assert.notInclude(error.message, "a bug")
  })
})

describe("errorResponse", () => {
  const shown = (error: Countersign.CountersignError): unknown =>
    JSON.parse(JSON.stringify(Countersign.errorResponse(error)))

  it("has the status of the error, and what a browser may know", () => {
    assert.deepStrictEqual(shown(wrong), {
      status: 400,
      headers: { "cache-control": "no-store" },
      body: { code: "wrong_code", message: "Wrong code", attemptsRemaining: 2 },
    })
    assert.deepStrictEqual(shown(limited), {
      status: 429,
      headers: { "cache-control": "no-store", "retry-after": "7" },
      body: {
        code: "rate_limited",
        message: "The code was sent a moment ago",
        retryAfterSeconds: 7,
      },
    })
  })

  it("has the problems of each invalid field", () => {
    const details = { text: [fieldProblem("required", {})] }
    assert.deepStrictEqual(shown(new Countersign.InvalidRequestError({ details })), {
      status: 400,
      headers: { "cache-control": "no-store" },
      body: {
        code: "invalid_request",
        message: "Validation failed",
        details,
      },
    })
  })

  it("tells nothing of what only an operator can mend, or of a gateway's account", () => {
    const balance = { required: "0.50", available: "0.00" }
    const plain = {
      status: 503,
      headers: { "cache-control": "no-store" },
      body: { code: "unavailable", message: "Temporarily unavailable" },
    }
    assert.deepStrictEqual(shown(new Countersign.InsufficientBalanceError(balance)), plain)
    assert.deepStrictEqual(shown(new Countersign.ConfigurationError("no secret")), plain)
    const unsent = new Countersign.SendingFailedError({
      status: "failed",
      reason: "account",
      gateway: "twilio",
      vendorCode: "20003",
      vendorMessage: "20003: Authenticate",
    })
    assert.notInclude(JSON.stringify(Countersign.errorResponse(unsent)), "20003")
  })

  it("takes no value that may be something else", () => {
    expectTypeOf(Countersign.errorResponse)
      .parameter(0)
      .toEqualTypeOf<Countersign.CountersignError>()
  })
})
