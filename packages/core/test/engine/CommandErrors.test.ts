import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  checked,
  notAccepted,
  refusedRequest,
  refusedResend,
  refusedVerification,
} from "../../src/engine/CommandErrors.ts"
import { effectTest } from "../support/engineTest.ts"

const { money } = Samples
const requestId = Samples.requestId()
const retryAfterSeconds = 7
const amounts = { required: money("2"), available: money("1") }

/** The error that a caller gets, as plain data. */
const failure = (call: Effect.Effect<unknown, object>) =>
  Effect.map(Effect.flip(call), (error) => ({ ...error }))

describe("the refusal of a command", () => {
  it.effect.each([
    ["NotFound", { _tag: "RequestNotFound" }],
    ["AlreadyVerified", { _tag: "AlreadyVerified", requestId }],
    ["AlreadyFailed", { _tag: "AttemptsExhausted", requestId }],
    ["Expired", { _tag: "RequestExpired", requestId }],
    ["ResendsExhausted", { _tag: "ResendsExhausted", requestId }],
  ] as const)("to send a code again, %s, names the request", ([_tag, error]) =>
    Effect.map(failure(refusedResend(requestId, { _tag })), (found) =>
      assert.deepInclude(found, error),
    ),
  )

  it.effect.each([
    ["Limited", "rate"],
    ["Cooldown", "cooldown"],
    ["GuessesLimited", "guesses"],
    ["ClientLimited", "client"],
    ["Capped", "spending"],
    ["Suspected", "suspicion"],
  ] as const)("by %s says how long to wait, for the reason %s", ([_tag, reason]) =>
    Effect.map(failure(refusedVerification({ _tag, retryAfterSeconds }, 5)), (found) =>
      assert.deepInclude(found, { _tag: "RateLimited", retryAfterSeconds, reason }),
    ),
  )

  effectTest("has the amounts of the balance, and the limit of pending requests", function* () {
    const poor = yield* failure(refusedVerification({ _tag: "Insufficient", ...amounts }, 5))
    assert.deepInclude(poor, { _tag: "InsufficientBalance", ...amounts })
    const pending = { _tag: "TooManyPending", retryAfterSeconds } as const
    const many = yield* failure(refusedVerification(pending, 5))
    assert.deepInclude(many, { ...pending, limit: 5 })
  })

  effectTest("names the id of a request that is taken", function* () {
    const taken = yield* failure(refusedRequest({ _tag: "RequestIdTaken" }, 5))
    assert.deepNestedInclude(taken, {
      _tag: "InvalidRequest",
      "details.requestId.0.code": "request_id_taken",
    })
    const poor = yield* failure(refusedRequest({ _tag: "Insufficient", ...amounts }, 5))
    assert.deepInclude(poor, { _tag: "InsufficientBalance" })
  })

  effectTest("does not hide a verification", function* () {
    const result = { phoneNumber: Samples.phoneNumber(), verifiedAt: 7, isFirst: false }
    assert.deepStrictEqual(yield* checked(requestId, { _tag: "Verified", ...result }), {
      ...result,
      requestId,
      status: "verified",
    })
  })

  it.effect.each([
    [
      { _tag: "WrongCode", attemptsRemaining: 2 },
      { _tag: "WrongCode", attemptsRemaining: 2 },
    ],
    [
      { _tag: "Failed", isFirst: true },
      { _tag: "AttemptsExhausted", requestId },
    ],
    [{ _tag: "Expired" }, { _tag: "RequestExpired", requestId }],
    [{ _tag: "NotFound" }, { _tag: "RequestNotFound" }],
    [{ _tag: "UnknownCodeSecret" }, { _tag: "StoreUnavailable", reason: "secret" }],
    [{ _tag: "AlreadyConsumed" }, { _tag: "AlreadyConsumed", requestId }],
    [
      { _tag: "Limited", retryAfterSeconds },
      { retryAfterSeconds, reason: "rate" },
    ],
    [
      { _tag: "GuessesLimited", retryAfterSeconds },
      { retryAfterSeconds, reason: "guesses" },
    ],
    [
      { _tag: "ClientLimited", retryAfterSeconds },
      { retryAfterSeconds, reason: "client" },
    ],
  ] as const)("to accept a code, %j, is %j", ([outcome, error]) =>
    Effect.map(failure(notAccepted(requestId, outcome)), (found) =>
      assert.deepInclude<object>(found, error),
    ),
  )
})
