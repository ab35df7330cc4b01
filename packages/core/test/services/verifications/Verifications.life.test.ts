import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Store } from "../../../src/ports/Store.ts"
import { Verifications } from "../../../src/services/verifications/Verifications.ts"
import {
  cancel,
  check,
  consume,
  phoneNumber,
  resend,
  send,
  statusOf,
  wrong,
} from "../../support/verifying.ts"

/** Opens an organization, and sends and verifies a code. */
const verified = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const { requestId } = yield* send(organization, { purpose: "login", metadata: '{"a":1}' })
  yield* TestClock.adjust(1_000)
  yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
  return { organization, requestId }
})

const checkNumber = (
  organization: OrganizationId,
  code: string,
  input: { readonly phoneNumber?: string; readonly purpose?: string } = {},
) =>
  Verifications.use((_) =>
    _.check({ organization, phoneNumber, ...input, code: Redacted.make(code) }),
  )

const sealedOf = Effect.fnUntraced(function* (organization: OrganizationId, requestId: string) {
  const { requestId: id } = yield* statusOf(organization, requestId)
  return (yield* (yield* Store).verification(organization, id))?.verification.sealed
})

const onEngine = Effect.provide(TestEngine.layer())

describe("Verifications.cancel", () => {
  it.effect("fails a pending request, and may be repeated", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      assert.isNotNull(yield* sealedOf(organization, requestId))
      const cancelled = { requestId, phoneNumber, status: "failed" }
      assert.deepStrictEqual<unknown>(yield* cancel(organization, requestId), cancelled)
      assert.deepStrictEqual<unknown>(yield* cancel(organization, requestId), cancelled)
      assert.isNull(yield* sealedOf(organization, requestId))
      const code = yield* TestEngine.latestCode(phoneNumber)
      const late = yield* Effect.flip(check(organization, requestId, code))
      assert.deepInclude(late, { _tag: "AttemptsExhausted", requestId })
      assert.strictEqual((yield* statusOf(organization, requestId)).status, "failed")
    }).pipe(onEngine),
  )

  it.effect("frees the place among the five pending requests", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const [first] = yield* Effect.replicateEffect(send(organization), 5)
      assert.strictEqual((yield* Effect.flip(send(organization)))._tag, "TooManyPending")
      yield* cancel(organization, first?.requestId ?? "")
      yield* send(organization)
      assert.strictEqual((yield* Effect.flip(send(organization)))._tag, "TooManyPending")
    }).pipe(onEngine),
  )

  it.effect("accepts a request that has failed, and refuses one that is verified or expired", () =>
    Effect.gen(function* () {
      const { organization, requestId } = yield* verified
      assert.deepInclude(yield* Effect.flip(cancel(organization, requestId)), {
        _tag: "AlreadyVerified",
        requestId,
      })
      const failing = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const guess = Effect.flip(check(organization, failing.requestId, wrong(code)))
      yield* Effect.replicateEffect(guess, 3)
      assert.strictEqual((yield* cancel(organization, failing.requestId)).status, "failed")
      const expiring = yield* send(organization, { expiresIn: "1 minute" })
      yield* TestClock.adjust(60_000)
      const expired = yield* Effect.flip(cancel(organization, expiring.requestId))
      assert.deepInclude(expired, { _tag: "RequestExpired", requestId: expiring.requestId })
    }).pipe(onEngine),
  )

  it.effect("does not find another organization's request, nor an unknown one", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const other = yield* TestEngine.open({ id: "other" })
      const foreign = yield* Effect.flip(cancel(other.organization, requestId))
      assert.strictEqual(foreign._tag, "RequestNotFound")
      assert.deepStrictEqual(foreign, yield* Effect.flip(cancel(organization, "none")))
      assert.strictEqual((yield* statusOf(organization, requestId)).status, "pending")
      assert.strictEqual((yield* Effect.flip(cancel(organization, "")))._tag, "InvalidRequest")
    }).pipe(onEngine),
  )
})

describe("Verifications.consume", () => {
  it.effect("succeeds once, and returns what was verified", () =>
    Effect.gen(function* () {
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
    }).pipe(onEngine),
  )

  it.effect("succeeds for one of 16 calls that come at once", () =>
    Effect.gen(function* () {
      const { organization, requestId } = yield* verified
      const outcomes = yield* Effect.all(
        Array.from({ length: 16 }, () =>
          Effect.match(consume(organization, requestId), {
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

  it.effect("is refused until the request is verified, and after it has ended otherwise", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { expiresIn: "1 minute" })
      const refusal = Effect.map(Effect.flip(consume(organization, requestId)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refusal, "NotVerified")
      yield* TestClock.adjust(60_000)
      assert.strictEqual(yield* refusal, "RequestExpired")
      const cancelled = yield* send(organization)
      yield* cancel(organization, cancelled.requestId)
      const failed = yield* Effect.flip(consume(organization, cancelled.requestId))
      assert.deepInclude(failed, { _tag: "AttemptsExhausted" })
    }).pipe(onEngine),
  )

  it.effect("does not find a request with another purpose, and does not use it up", () =>
    Effect.gen(function* () {
      const { organization, requestId } = yield* verified
      const other = yield* Effect.flip(consume(organization, requestId, { purpose: "payment" }))
      const unknown = yield* Effect.flip(consume(organization, "none"))
      assert.strictEqual(other._tag, "RequestNotFound")
      assert.deepStrictEqual(other, unknown)
      yield* consume(organization, requestId, { purpose: "login" })
    }).pipe(onEngine),
  )

  it.effect.each([
    ["requestId", { requestId: "" }],
    ["purpose", { purpose: "Log in" }],
    ["purpose", { purpose: "x".repeat(33) }],
    ["audience", { audience: "a\u0000b" }],
    ["audience", { audience: "x".repeat(256) }],
  ] as const)("names an invalid %s", ([field, input]) =>
    Effect.gen(function* () {
      const { organization, requestId } = yield* verified
      const error = yield* Effect.flip(consume(organization, requestId, input))
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        field,
      ])
    }).pipe(onEngine),
  )
})

describe("Verifications.status of a request's life", () => {
  it.effect("names the purpose, the metadata, the messages, and what can follow", () =>
    Effect.gen(function* () {
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
    }).pipe(onEngine),
  )

  it.effect("offers no resend that the expiry, the maximum or the end of the request forbids", () =>
    Effect.gen(function* () {
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
    }).pipe(onEngine),
  )
})

describe("Verifications.check by number", () => {
  it.effect("checks the newest pending request of the number", () =>
    Effect.gen(function* () {
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
    }).pipe(onEngine),
  )

  it.effect("does not find a request that was cancelled or has expired", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const old = yield* send(organization, { expiresIn: "1 minute" })
      const code = yield* TestEngine.latestCode(phoneNumber)
      const second = yield* send(organization)
      yield* cancel(organization, second.requestId)
      const guess = yield* Effect.flip(checkNumber(organization, wrong(code)))
      assert.deepInclude(guess, { requestId: old.requestId })
      yield* TestClock.adjust(60_000)
      const late = yield* Effect.flip(checkNumber(organization, code))
      assert.strictEqual(late._tag, "RequestNotFound")
    }).pipe(onEngine),
  )

  it.effect("does not find another number's or another organization's request", () =>
    Effect.gen(function* () {
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
    }).pipe(onEngine),
  )

  it.effect("counts in the organization's window, also without a request", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(Effect.flip(checkNumber(organization, "123456")), 20)
      const limited = yield* Effect.flip(checkNumber(organization, "123456"))
      assert.deepInclude(limited, { _tag: "RateLimited", retryAfterSeconds: 60 })
    }).pipe(onEngine),
  )

  it.effect("checks the request of its id, if a number is given as well", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const input = { organization, code: Redacted.make("123456"), requestId: "none" }
      yield* send(organization)
      for (const given of [phoneNumber, "no number"]) {
        const error = yield* Effect.flip(
          Verifications.use((_) => _.check({ ...input, phoneNumber: given })),
        )
        assert.strictEqual(error._tag, "RequestNotFound")
      }
    }).pipe(onEngine),
  )

  it.effect.each([
    ["neither", {}, "requestId"],
    ["a number that cannot exist", { phoneNumber: "+8801012345678" }, "phoneNumber"],
    ["an empty number", { phoneNumber: "" }, "phoneNumber"],
  ] as const)("refuses %s", ([, input, field]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const code = Redacted.make("123456")
      const error = yield* Effect.flip(
        Verifications.use((_) => _.check({ organization, code, ...input })),
      )
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        field,
      ])
    }).pipe(onEngine),
  )
})

describe("Verifications.check with a purpose", () => {
  it.effect("does not find a request with another purpose, and takes no attempt", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { purpose: "login" })
      const code = Redacted.make(yield* TestEngine.latestCode(phoneNumber))
      const checkFor = (purpose: string) =>
        Verifications.use((_) => _.check({ organization, requestId, code, purpose }))
      const other = yield* Effect.flip(checkFor("payment"))
      assert.strictEqual(other._tag, "RequestNotFound")
      assert.strictEqual((yield* statusOf(organization, requestId)).attemptsRemaining, 3)
      assert.strictEqual((yield* checkFor("login")).status, "verified")
    }).pipe(onEngine),
  )

  it.effect.each([
    [{ purpose: "" }, "purpose"],
    [{ purpose: "Log in" }, "purpose"],
    [{ purpose: "-x" }, "purpose"],
    [{ purpose: "x".repeat(33) }, "purpose"],
    [{ metadata: "[]" }, "metadata"],
    [{ metadata: '"text"' }, "metadata"],
    [{ metadata: "null" }, "metadata"],
    [{ metadata: "{" }, "metadata"],
    [{ metadata: `{"a":"${"x".repeat(1_017)}"}` }, "metadata"],
    [{ metadata: `{"a":"${"আ".repeat(350)}"}` }, "metadata"],
    [{ payment: { amount: "", payee: "Acme" } }, "payment"],
    [{ payment: { amount: "5", payee: "x".repeat(65) } }, "payment"],
    [{ payment: { amount: "5", payee: "a\nb" } }, "payment"],
  ] as const)("refuses %j at the send", ([input, field]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(send(organization, input))
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        field,
      ])
    }).pipe(onEngine),
  )

  it.effect.each([
    { purpose: "a" },
    { purpose: `9${"x_.-".repeat(7)}xyz` },
    { metadata: "{}" },
    { metadata: `{"a":"${"x".repeat(1_016)}"}` },
  ])("accepts %j at the send", (input) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, input)
      assert.deepInclude(yield* statusOf(organization, requestId), input)
    }).pipe(onEngine),
  )
})
