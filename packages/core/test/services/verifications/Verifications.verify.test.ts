import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Parsed } from "../../../src/api/Caller.ts"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import type { VerifyCode } from "../../../src/services/verifications/Verifications.ts"
import { check, consume, phoneNumber, send, verify, wrong } from "../../support/verifying.ts"

const onEngine = Effect.provide(TestEngine.layer())

const purpose = "login"

/** Opens an organization, and sends a code. */
const sent = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const { requestId } = yield* send(organization, { purpose, metadata: '{"a":1}' })
  yield* TestClock.adjust(1_000)
  return { organization, requestId, code: yield* TestEngine.latestCode(phoneNumber) }
})

const refusal = (
  organization: OrganizationId,
  requestId: string,
  code: string,
  input: Partial<Parsed<VerifyCode>> = { purpose },
) => Effect.flip(verify(organization, requestId, code, input))

describe("Verifications.verify", () => {
  it.effect("checks a code and uses the request up", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      assert.deepStrictEqual(yield* verify(organization, requestId, code, { purpose }), {
        requestId,
        phoneNumber,
        purpose,
        metadata: '{"a":1}',
        status: "verified",
        verifiedAt: 1_000,
        consumedAt: 1_000,
        proof: undefined,
      })
      const again = yield* refusal(organization, requestId, code)
      assert.deepInclude(again, { _tag: "AlreadyConsumed", requestId })
      const used = yield* Effect.flip(consume(organization, requestId))
      assert.strictEqual(used._tag, "AlreadyConsumed")
    }).pipe(onEngine),
  )

  it.effect("succeeds for one of 16 calls that come at once", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      const outcomes = yield* Effect.all(
        Array.from({ length: 16 }, () =>
          Effect.match(verify(organization, requestId, code, { purpose }), {
            onFailure: ({ _tag }) => String(_tag),
            onSuccess: () => "consumed",
          }),
        ),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(outcomes.filter((one) => one === "consumed").length, 1)
      assert.strictEqual(outcomes.filter((one) => one === "AlreadyConsumed").length, 15)
    }).pipe(onEngine),
  )

  it.effect("refuses a wrong code, which costs an attempt", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      const guess = refusal(organization, requestId, wrong(code))
      assert.deepInclude(yield* guess, { _tag: "WrongCode", attemptsRemaining: 2 })
      assert.deepInclude(yield* guess, { _tag: "WrongCode", attemptsRemaining: 1 })
      assert.strictEqual((yield* guess)._tag, "AttemptsExhausted")
      const late = yield* refusal(organization, requestId, code)
      assert.strictEqual(late._tag, "AttemptsExhausted")
    }).pipe(onEngine),
  )

  it.effect("compares the code of a request that an earlier check has verified", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      yield* check(organization, requestId, code)
      const guessed = yield* refusal(organization, requestId, wrong(code))
      assert.deepInclude(guessed, { _tag: "WrongCode", attemptsRemaining: 2 })
      yield* TestClock.adjust(2_000)
      assert.deepInclude(yield* verify(organization, requestId, code, { purpose }), {
        verifiedAt: 1_000,
        consumedAt: 3_000,
      })
    }).pipe(onEngine),
  )

  it.effect("finds only requests with the given purpose, or with none", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      for (const input of [{ purpose: "payment" }, {}]) {
        const other = yield* refusal(organization, requestId, code, input)
        assert.strictEqual(other._tag, "RequestNotFound")
      }
      yield* verify(organization, requestId, code, { purpose })
    }).pipe(onEngine),
  )

  it.effect("answers a repeat with its idempotency key like the first call", () =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      const keyed = { purpose, idempotencyKey: "login-1" }
      const guessed = yield* refusal(organization, requestId, wrong(code), keyed)
      assert.strictEqual(guessed._tag, "WrongCode")
      const first = yield* verify(organization, requestId, code, keyed)
      yield* TestClock.adjust(10_000)
      const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
      assert.deepStrictEqual(yield* verify(organization, requestId, spaced, keyed), first)
      const otherCode = yield* refusal(organization, requestId, wrong(code), keyed)
      assert.strictEqual(otherCode._tag, "IdempotencyMismatch")
      const otherKey = { purpose, idempotencyKey: "login-2" }
      const again = yield* refusal(organization, requestId, code, otherKey)
      assert.strictEqual(again._tag, "AlreadyConsumed")
    }).pipe(onEngine),
  )

  it.effect.each([
    ["code", { code: Redacted.make("") }],
    ["requestId", { requestId: "" }],
    ["purpose", { purpose: "Log in" }],
    ["client", { client: "" }],
    ["audience", { audience: "a\u0000b" }],
    ["idempotencyKey", { idempotencyKey: "" }],
  ] as const)("names an invalid %s", ([field, input]) =>
    Effect.gen(function* () {
      const { code, organization, requestId } = yield* sent
      const error = yield* refusal(organization, requestId, code, { purpose, ...input })
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        field,
      ])
    }).pipe(onEngine),
  )
})
