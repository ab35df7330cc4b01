import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Store } from "../../../src/ports/Store.ts"
import {
  type CheckVerification,
  Verifications,
  type VerifyCode,
} from "../../../src/services/verifications/Verifications.ts"
import {
  atOnce,
  cancel,
  check,
  consume,
  phoneNumber,
  resend,
  send,
  statusOf,
  wrong,
  verify,
} from "../../support/verifying.ts"
import { engineTest, testOn } from "../../support/engineTest.ts"
import { invalidFields } from "../../support/invalidFields.ts"
import type { Parsed } from "../../../src/api/Caller.ts"
import { type ProofClaims, Proofs } from "../../../src/ports/Proofs.ts"

const purpose = "login"

/** Opens an organization, and sends a code. */
const sent = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const { requestId } = yield* send(organization, { purpose, metadata: '{"a":1}' })
  yield* TestClock.adjust(1_000)
  return { organization, requestId, code: yield* TestEngine.latestCode(phoneNumber) }
})

const verified = Effect.tap(sent, ({ code, organization, requestId }) =>
  check(organization, requestId, code),
)

const checkNumber = (
  organization: OrganizationId,
  code: string,
  input: Partial<Parsed<CheckVerification>> = {},
) =>
  Verifications.use((_) =>
    _.check({ organization, phoneNumber, ...input, code: Redacted.make(code) }),
  )

describe("Verifications.cancel", () => {
  engineTest("fails a pending request, and may be repeated", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    const cancelled = { requestId, phoneNumber, status: "failed" }
    assert.deepStrictEqual<unknown>(yield* cancel(organization, requestId), cancelled)
    assert.deepStrictEqual<unknown>(yield* cancel(organization, requestId), cancelled)
    const code = yield* TestEngine.latestCode(phoneNumber)
    const late = yield* Effect.flip(check(organization, requestId, code))
    assert.deepInclude(late, { _tag: "AttemptsExhausted", requestId })
    assert.strictEqual((yield* statusOf(organization, requestId)).status, "failed")
  })

  engineTest("does not find another organization's request, nor an unknown one", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    const other = yield* TestEngine.open({ id: "other" })
    const foreign = yield* Effect.flip(cancel(other.organization, requestId))
    assert.strictEqual(foreign._tag, "RequestNotFound")
    assert.deepStrictEqual(foreign, yield* Effect.flip(cancel(organization, "none")))
    assert.strictEqual((yield* statusOf(organization, requestId)).status, "pending")
    assert.strictEqual((yield* Effect.flip(cancel(organization, "")))._tag, "InvalidRequest")
    assert.deepStrictEqual(yield* Effect.flip(statusOf(organization, "none")), foreign)
  })
})

describe("Verifications.consume", () => {
  engineTest("succeeds once, and returns what was verified", function* () {
    const { organization, requestId } = yield* verified
    yield* TestClock.adjust(2_000)
    assert.deepInclude(yield* consume(organization, requestId), {
      requestId,
      phoneNumber,
      purpose: "login",
      metadata: '{"a":1}',
      status: "verified",
      verifiedAt: 1_000,
      consumedAt: 3_000,
    })
    const again = yield* Effect.flip(consume(organization, requestId))
    assert.deepInclude(again, { _tag: "AlreadyConsumed", requestId })
    assert.strictEqual((yield* statusOf(organization, requestId)).consumedAt, 3_000)
  })

  engineTest("succeeds for one of 16 calls that come at once", function* () {
    const { organization, requestId } = yield* verified
    assert.deepStrictEqual(yield* atOnce(consume(organization, requestId)), {
      done: 1,
      AlreadyConsumed: 15,
    })
  })

  engineTest.each([
    ["requestId", { requestId: "" }],
    ["purpose", { purpose: "Log in" }],
    ["purpose", { purpose: "x".repeat(33) }],
    ["audience", { audience: "a\u0000b" }],
    ["audience", { audience: "x".repeat(256) }],
  ] as const)("names an invalid %s", function* ([field, input]) {
    const { organization, requestId } = yield* verified
    assert.deepStrictEqual(yield* invalidFields(consume(organization, requestId, input)), [field])
  })
})

/** An engine whose proofs are their claims. */
const proving = Layer.provide(
  TestEngine.layer(),
  Layer.succeed(Proofs, {
    sign: (claims) => Effect.succeed(Redacted.make(JSON.stringify(claims))),
    jwks: { keys: [] },
  }),
)

describe("the proof of a verification", () => {
  testOn(proving)("states what was verified, for the audience of the call", function* () {
    const { code, organization, requestId } = yield* sent
    const claims = (audience?: string): ProofClaims => ({
      organization,
      requestId,
      phoneNumber,
      purpose,
      metadata: '{"a":1}',
      verifiedAt: 1_000,
      consumedAt: 1_000,
      audience,
    })
    const proofOf = ({ proof }: { readonly proof?: Redacted.Redacted<string> | undefined }) =>
      JSON.parse(proof === undefined ? "null" : Redacted.value(proof))
    const keyed = { purpose, audience: "orders", idempotencyKey: "login-1" }
    const expected = JSON.parse(JSON.stringify(claims("orders")))
    assert.deepStrictEqual(proofOf(yield* verify(organization, requestId, code, keyed)), expected)
    assert.deepStrictEqual(proofOf(yield* verify(organization, requestId, code, keyed)), expected)
    const checked = yield* send(organization, { purpose, metadata: '{"a":1}' })
    yield* check(organization, checked.requestId, yield* TestEngine.latestCode(phoneNumber))
    const consumed = yield* consume(organization, checked.requestId)
    const others = { ...claims(), requestId: checked.requestId }
    assert.deepStrictEqual(proofOf(consumed), JSON.parse(JSON.stringify(others)))
  })
})

describe("a repeat of consume", () => {
  engineTest("does not find a request that retention has dropped", function* () {
    const { organization, requestId } = yield* verified
    const keyed = { idempotencyKey: "once" }
    yield* consume(organization, requestId, keyed)
    yield* TestClock.adjust("1 hour")
    const step = { organization, after: undefined, keepMillis: 1, limit: 10 } as const
    yield* Store.use((store) => store.prune({ ...step, kind: "verifications" }))
    const repeat = yield* Effect.flip(consume(organization, requestId, keyed))
    assert.strictEqual(repeat._tag, "RequestNotFound")
  })
})

describe("Verifications.status of a request's life", () => {
  engineTest("names the purpose, the metadata, the messages, and what can follow", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization, { purpose: "login", metadata: '{"a":1}' })
    yield* TestClock.adjust(30_000)
    yield* resend(organization, requestId, { channel: "whatsapp" })
    const status = yield* statusOf(organization, requestId)
    assert.deepInclude(status, {
      channel: "whatsapp",
      purpose: "login",
      metadata: '{"a":1}',
      resendsRemaining: 2,
      resendAt: 60_000,
    })
    assert.deepStrictEqual(
      status.messages.map(({ channel, createdAt, sequence }) => [sequence, channel, createdAt]),
      [
        [1, "sms", 0],
        [2, "whatsapp", 30_000],
      ],
    )
    assert.notInclude(JSON.stringify(status), yield* TestEngine.latestCode(phoneNumber))
    yield* TestClock.adjust(90_000)
    // It can be sent again now.
    assert.strictEqual((yield* statusOf(organization, requestId)).resendAt, 120_000)
  })

  engineTest(
    "offers no resend that the expiry, the maximum or the end of the request forbids",
    function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { expiresIn: "1 minute" })
      yield* TestClock.adjust(30_000)
      assert.strictEqual((yield* statusOf(organization, requestId)).resendAt, 30_000)
      yield* resend(organization, requestId)
      assert.deepInclude(yield* statusOf(organization, requestId), {
        resendsRemaining: 2,
        // The cooldown ends when the request expires.
        resendAt: null,
      })
      const cancelled = yield* send(organization)
      yield* cancel(organization, cancelled.requestId)
      assert.deepInclude(yield* statusOf(organization, cancelled.requestId), {
        status: "failed",
        resendsRemaining: 0,
        resendAt: null,
      })
    },
  )
})

describe("Verifications.check by number", () => {
  engineTest("checks the newest pending request of the number", function* () {
    const { organization } = yield* TestEngine.open()
    const first = yield* send(organization)
    const firstCode = yield* TestEngine.latestCode(phoneNumber)
    const second = yield* send(organization)
    const secondCode = yield* TestEngine.latestCode(phoneNumber)
    const guess = yield* Effect.flip(checkNumber(organization, wrong(secondCode)))
    assert.deepInclude(guess, { _tag: "WrongCode", requestId: second.requestId })
    const done = yield* checkNumber(organization, secondCode)
    assert.deepInclude(done, { requestId: second.requestId, isFirst: true })
    // The newest one that is still pending.
    const earlier = yield* checkNumber(organization, firstCode)
    assert.deepInclude(earlier, { requestId: first.requestId, isFirst: true })
    const none = yield* Effect.flip(checkNumber(organization, firstCode))
    assert.strictEqual(none._tag, "RequestNotFound")
  })

  engineTest("prefers the request that is named to the newest of the number", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    const code = yield* TestEngine.latestCode(phoneNumber)
    yield* send(organization)
    const done = yield* checkNumber(organization, code, { requestId })
    assert.deepInclude(done, { requestId, isFirst: true })
  })

  engineTest("does not find another number's or another organization's request", function* () {
    const { organization } = yield* TestEngine.open()
    const other = yield* TestEngine.open({ id: "other" })
    yield* send(organization)
    const code = yield* TestEngine.latestCode(phoneNumber)
    const errors = yield* Effect.all([
      Effect.flip(checkNumber(organization, code, { phoneNumber: "+8801712345679" })),
      Effect.flip(checkNumber(other.organization, code)),
      Effect.flip(checkNumber(organization, code, { purpose: "payment" })),
    ])
    for (const { _tag } of errors) assert.strictEqual(_tag, "RequestNotFound")
    assert.strictEqual((yield* checkNumber(organization, code)).status, "verified")
  })

  engineTest.each([
    ["neither", {}, "requestId"],
    ["a number that cannot exist", { phoneNumber: "+8801012345678" }, "phoneNumber"],
    ["an empty number", { phoneNumber: "" }, "phoneNumber"],
  ] as const)("refuses %s", function* ([, input, field]) {
    const { organization } = yield* TestEngine.open()
    const code = Redacted.make("123456")
    const refused = Verifications.use((_) => _.check({ organization, code, ...input }))
    assert.deepStrictEqual(yield* invalidFields(refused), [field])
  })
})

const refusal = (
  organization: OrganizationId,
  requestId: string,
  code: string,
  input: Partial<Parsed<VerifyCode>> = { purpose },
) => Effect.flip(verify(organization, requestId, code, input))

describe("Verifications.verify", () => {
  engineTest("checks a code and uses the request up", function* () {
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
  })

  engineTest("succeeds for one of 16 calls that come at once", function* () {
    const { code, organization, requestId } = yield* sent
    assert.deepStrictEqual(yield* atOnce(verify(organization, requestId, code, { purpose })), {
      done: 1,
      AlreadyConsumed: 15,
    })
  })

  engineTest("answers a repeat with its idempotency key like the first call", function* () {
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
  })

  engineTest.each([
    ["code", { code: Redacted.make("") }],
    ["requestId", { requestId: "" }],
    ["purpose", { purpose: "Log in" }],
    ["client", { client: "" }],
    ["audience", { audience: "a\u0000b" }],
    ["idempotencyKey", { idempotencyKey: "" }],
  ] as const)("names an invalid %s", function* ([field, input]) {
    const { code, organization, requestId } = yield* sent
    const refused = verify(organization, requestId, code, { purpose, ...input })
    assert.deepStrictEqual(yield* invalidFields(refused), [field])
  })
})
