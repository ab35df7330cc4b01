import { codes } from "@countersign/core/domain/errors/ErrorCode"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Failures from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { runner } from "../src/internal/errors/translate.ts"
import { failure } from "./support/values.ts"

const run = runner((effect) => Effect.runPromiseExit(effect))

const failures = {
  AddressNotAllowed: [new Failures.AddressNotAllowed(), Countersign.AddressNotAllowedError],
  BrandNotFound: [new Failures.BrandNotFound(), Countersign.SenderNotFoundError],
  InsufficientScope: [new Failures.InsufficientScope(), Countersign.InsufficientScopeError],
  WebhookNotFound: [new Failures.WebhookNotFound(), Countersign.WebhookNotFoundError],
  ApiKeyNotFound: [new Failures.ApiKeyNotFound(), Countersign.ApiKeyNotFoundError],
  AlreadyConsumed: [
    new Failures.AlreadyConsumed({ requestId: "vrf" }),
    Countersign.AlreadyConsumedError,
  ],
  AlreadyVerified: [
    new Failures.AlreadyVerified({ requestId: "vrf" }),
    Countersign.AlreadyVerifiedError,
  ],
  NotVerified: [new Failures.NotVerified({ requestId: "vrf" }), Countersign.NotVerifiedError],
  ResendsExhausted: [
    new Failures.ResendsExhausted({ requestId: "vrf" }),
    Countersign.ResendsExhaustedError,
  ],
  AttemptsExhausted: [
    new Failures.AttemptsExhausted({ requestId: "vrf" }),
    Countersign.AttemptsExhaustedError,
  ],
  BrandUnusable: [
    new Failures.BrandUnusable({ problem: FieldProblem.make("brand_not_approved", {}) }),
    Countersign.SenderUnusableError,
  ],
  IdempotencyInFlight: [
    new Failures.IdempotencyInFlight({ retryAfterSeconds: 3 }),
    Countersign.IdempotencyInFlightError,
  ],
  IdempotencyMismatch: [new Failures.IdempotencyMismatch(), Countersign.IdempotencyMismatchError],
  InsufficientBalance: [
    new Failures.InsufficientBalance({ required: 5_000, available: 100 }),
    Countersign.InsufficientBalanceError,
  ],
  InvalidRequest: [
    new Failures.InvalidRequest({
      details: { to: [FieldProblem.make("not_e164", { plus: "optional" })] },
    }),
    Countersign.InvalidRequestError,
  ],
  MessageNotFound: [new Failures.MessageNotFound(), Countersign.MessageNotFoundError],
  NotOnWhatsApp: [new Failures.NotOnWhatsApp(), Countersign.NotOnWhatsAppError],
  OrganizationExists: [new Failures.OrganizationExists(), Countersign.OrganizationExistsError],
  OrganizationNotFound: [
    new Failures.OrganizationNotFound(),
    Countersign.OrganizationNotFoundError,
  ],
  RateLimited: [
    new Failures.RateLimited({ retryAfterSeconds: 7, reason: "rate" }),
    Countersign.RateLimitedError,
  ],
  RequestExpired: [
    new Failures.RequestExpired({ requestId: "vrf" }),
    Countersign.RequestExpiredError,
  ],
  RequestNotFound: [new Failures.RequestNotFound(), Countersign.RequestNotFoundError],
  SendingFailed: [
    new Failures.SendingFailed({
      status: "unknown",
      reason: "unknown",
      gateway: null,
      vendorCode: null,
      vendorMessage: null,
    }),
    Countersign.SendingFailedError,
  ],
  StoreUnavailable: [
    new Failures.StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 }),
    Countersign.UnavailableError,
  ],
  TooManyPending: [
    new Failures.TooManyPending({ limit: 5, retryAfterSeconds: 12 }),
    Countersign.TooManyPendingError,
  ],
  Unauthorized: [new Failures.Unauthorized(), Countersign.UnauthorizedError],
  WrongCode: [
    new Failures.WrongCode({ requestId: "vrf", attemptsRemaining: 2 }),
    Countersign.WrongCodeError,
  ],
} satisfies { readonly [K in EngineError["_tag"]]: readonly [EngineError, unknown] }

describe("the errors of the promise API", () => {
  it.each(Object.entries(failures))("have a class of their own for %s", async (_, [from, to]) => {
    const error = await failure(run(Effect.fail(from)))
    assert.isTrue(error instanceof to)
    assert.instanceOf(error, Error)
    assert.strictEqual(error.name, to.name)
    assert.notStrictEqual(error.message, "")
  })

  it("have the codes of the engine's table, which are unique", async () => {
    const found = await Promise.all(
      Object.entries(failures).map(
        async ([tag, [from]]) => [tag, (await failure(run(Effect.fail(from)))).code] as const,
      ),
    )
    assert.deepStrictEqual<unknown>(Object.fromEntries(found), codes)
    assert.lengthOf(new Set(Object.values(codes)), found.length)
  })

  it("show amounts as decimals", async () => {
    const error = await failure(run(Effect.fail(failures.InsufficientBalance[0])))
    assert.instanceOf(error, Countersign.InsufficientBalanceError)
    assert.deepStrictEqual([error.required, error.available], ["0.50", "0.01"])
  })

  it("do not blame a defect on the caller", async () => {
    const bug = new Error("a bug")
    const error = await failure(run(Effect.die(bug)))
    assert.instanceOf(error, Countersign.InternalError)
    assert.strictEqual(error.cause, bug)
    assert.notInclude(error.message, "a bug")
  })
})
