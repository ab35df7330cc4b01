import { assert, describe, it } from "vitest"
import * as Errors from "../../../src/domain/errors/Errors.ts"
import { make as problem } from "../../../src/domain/values/FieldProblem.ts"
import * as Refusal from "../../../src/domain/verifications/Refusal.ts"

const required = problem("required", {})
const numberPlan = problem("not_string", {})
const invalid = (details: Errors.InvalidRequest["details"]) =>
  new Errors.InvalidRequest({ details })
const requestId = "vrf_1"

const limited = new Errors.RateLimited({ retryAfterSeconds: 5, reason: "client" })
const unusable = new Errors.SenderUnusable({ problem: required })
const insufficient = new Errors.InsufficientBalance({ required: 5_000, available: 100 })
const pending = new Errors.TooManyPending({ limit: 5, retryAfterSeconds: 7 })
const unavailable = new Errors.StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })

describe("the cause of a refusal", () => {
  it.each([
    ["verify", limited, "rate_limited:client"],
    ["check", limited, "rate_limited:client"],
    ["message", unusable, `sender_unusable:${required.code}`],
    ["verify", insufficient, "insufficient_balance"],
    ["verify", pending, "too_many_pending"],
    ["verify", invalid({ code: [required] }), `invalid_request:${required.code}`],
    [
      "verify",
      invalid({ a: [required], phoneNumber: [numberPlan] }),
      `invalid_request:${numberPlan.code}`,
    ],
    ["verify", invalid({}), "invalid_request"],
    ["verify", invalid({ a: [] }), "invalid_request"],
    ["check", new Errors.Unauthorized(), "unauthorized"],
    ["check", new Errors.InsufficientScope(), "insufficient_scope"],
    ["check", new Errors.AddressNotAllowed(), "address_not_allowed"],
    ["check", invalid({ code: [required] }), `invalid_request:${required.code}`],
    ["check", new Errors.WrongCode({ requestId, attemptsRemaining: 1 }), undefined],
    ["check", pending, undefined],
    ["resend", new Errors.ResendsExhausted({ requestId }), "resends_exhausted"],
    ["verify", unavailable, undefined],
    ["verify", new Errors.OrganizationNotFound(), undefined],
    ["verify", new Errors.IdempotencyInFlight({ retryAfterSeconds: 1 }), undefined],
    ["verify", new Errors.IdempotencyMismatch(), "idempotency_mismatch"],
    [
      "verify",
      new Errors.SendingFailed({
        status: "failed",
        reason: "unknown",
        gateway: null,
        vendorCode: null,
        vendorMessage: null,
      }),
      undefined,
    ],
  ] as const)("of %s by %s: %s", (operation, error, expected) => {
    const cause = Refusal.causeOf(operation, error)
    assert.strictEqual(cause && Refusal.outcomeOf(cause), expected)
  })
})

it.each([
  [limited, { retryAfterSeconds: 5 }],
  [pending, { limit: 5, retryAfterSeconds: 7 }],
  [insufficient, { required: "0.50", available: "0.01" }],
  [unusable, { field: "sender" }],
  [invalid({ a: [required] }), { field: "a" }],
  [invalid({}), {}],
  [new Errors.Unauthorized(), {}],
])("the parameters of %s are %j", (error, expected) => {
  assert.deepStrictEqual<unknown>(Refusal.parametersOf(error), expected)
})

it("a newer refusal takes the place of the oldest", () => {
  const { maxKept } = Refusal
  assert.strictEqual(Refusal.placeOf({ sequence: 7 }), 7)
  assert.strictEqual(Refusal.placeOf({ sequence: maxKept + 7 }), 7)
})
