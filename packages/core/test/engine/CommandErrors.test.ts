import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  notAccepted,
  refused,
  refusedRequest,
  refusedResend,
  requestError,
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
  it.each([
    ["NotFound", { _tag: "RequestNotFound" }],
    ["NotVerified", { _tag: "NotVerified", requestId }],
    ["AlreadyVerified", { _tag: "AlreadyVerified", requestId }],
    ["AlreadyConsumed", { _tag: "AlreadyConsumed", requestId }],
    ["AlreadyFailed", { _tag: "AttemptsExhausted", requestId }],
    ["Failed", { _tag: "AttemptsExhausted", requestId }],
    ["Expired", { _tag: "RequestExpired", requestId }],
    ["ResendsExhausted", { _tag: "ResendsExhausted", requestId }],
  ] as const)("of a request, %s, names it: %j", (_tag, error) => {
    assert.deepInclude<object>({ ...requestError(requestId, { _tag }) }, error)
  })

  effectTest("to send a code again names the request, or says how long to wait", function* () {
    const exhausted = yield* failure(refusedResend(requestId, { _tag: "ResendsExhausted" }))
    assert.deepInclude(exhausted, { _tag: "ResendsExhausted", requestId })
    const early = refusedResend(requestId, { _tag: "Cooldown", retryAfterSeconds })
    assert.deepInclude(yield* failure(early), { _tag: "RateLimited", reason: "cooldown" })
  })

  it.effect.each([
    ["Limited", "rate"],
    ["Cooldown", "cooldown"],
    ["GuessesLimited", "guesses"],
    ["ClientLimited", "client"],
    ["Capped", "spending"],
    ["Suspected", "suspicion"],
  ] as const)("by %s says how long to wait, for the reason %s", ([_tag, reason]) =>
    Effect.map(failure(refused({ _tag, retryAfterSeconds })), (found) =>
      assert.deepInclude(found, { _tag: "RateLimited", retryAfterSeconds, reason }),
    ),
  )

  effectTest("has the amounts of the balance, and the limit of pending requests", function* () {
    const poor = yield* failure(refusedRequest({ _tag: "Insufficient", ...amounts }, 5))
    assert.deepInclude(poor, { _tag: "InsufficientBalance", ...amounts })
    const pending = { _tag: "TooManyPending", retryAfterSeconds } as const
    const many = yield* failure(refusedRequest(pending, 5))
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

  it.effect.each([
    [
      { _tag: "WrongCode", attemptsRemaining: 2 },
      { _tag: "WrongCode", attemptsRemaining: 2 },
    ],
    [
      { _tag: "Failed", isFirst: true },
      { _tag: "AttemptsExhausted", requestId },
    ],
    [{ _tag: "UnknownCodeSecret" }, { _tag: "StoreUnavailable", reason: "secret" }],
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
