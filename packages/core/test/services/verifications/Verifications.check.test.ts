import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../../src/adapters/MemoryStore.ts"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as Fallback from "../../../src/engine/SmsFallback.ts"
import { Organizations } from "../../../src/services/Organizations.ts"
import { Store } from "../../../src/ports/Store.ts"
import { Verifications } from "../../../src/services/verifications/Verifications.ts"
import { check, consume, phoneNumber, resend, send, wrong } from "../../support/verifying.ts"

/** In digits of another script, whose nought is given. */
const shifted = (code: string, nought: number): string =>
  code.replace(/\d/g, (digit) => String.fromCharCode(nought + Number(digit)))

/** The code with a text in its middle. */
const split = (code: string, by: string): string => code.slice(0, 3) + by + code.slice(3)

const inBangla = (code: string): string => shifted(code, 0x09e6)

describe("Verifications.check", () => {
  it.effect("verifies a right code, and gives the same answer to every later code", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* TestClock.adjust(1_000)
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      yield* TestClock.adjust(5_000)
      const first = yield* check(organization, requestId, code)
      assert.deepStrictEqual(first, {
        requestId,
        phoneNumber: first.phoneNumber,
        status: "verified",
        verifiedAt: 6_000,
        isFirst: true,
      })
      yield* TestClock.adjust(900_000)
      const later = { ...first, isFirst: false }
      assert.deepStrictEqual(yield* check(organization, requestId, code), later)
      assert.deepStrictEqual(yield* check(organization, requestId, wrong(code)), later)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["all", inBangla],
    ["some", (code: string) => code.slice(0, 3) + inBangla(code.slice(3))],
  ] as const)("reads Bangla digits like ASCII digits: %s of a code", ([, type]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { locale: "bn-bd" })
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.match(code, /^[0-9]{6}$/)
      assert.strictEqual((yield* check(organization, requestId, type(code))).status, "verified")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["a space", (code: string) => split(code, " ")],
    ["a hyphen", (code: string) => split(code, "-")],
    [
      "every Unicode white space",
      (code: string) => split(code, "\t\n\v\f\r \u0085\u00a0\u1680\u2007"),
    ],
    ["the rest of it", (code: string) => split(code, "\u2028\u2029\u202f\u205f\u3000")],
    ["zero-width characters", (code: string) => split(code, "\u200b\u200c\u200d\u2060\ufeff")],
    ["marks of direction", (code: string) => `\u2068\u202a\u200e${code}\u200f\u202c\u2069`],
    ["dashes", (code: string) => split(code, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad")],
    ["a space, in Bangla digits", (code: string) => split(inBangla(code), " ")],
    ["26 spaces around it", (code: string) => `${" ".repeat(13)}${code}${" ".repeat(13)}`],
  ] as const)("removes %s before it compares a code", ([, type]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const typed = type(code)
      assert.isAtMost(typed.length, 32)
      assert.strictEqual((yield* check(organization, requestId, typed)).status, "verified")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["another digit", wrong],
    ["a digit less", (code: string) => code.slice(1)],
    ["a digit more", (code: string) => `${code}0`],
    ["another digit after a space", (code: string) => ` ${wrong(code)}`],
    ["a letter after it", (code: string) => `${code}x`],
    ["a letter within it", (code: string) => split(code, "o")],
    ["a plus", (code: string) => `+${code}`],
    ["a dot", (code: string) => split(code, ".")],
    ["spaces alone", () => "   "],
    ["a hyphen alone", () => "-"],
    ["Bangla digits, one of them another", (code: string) => inBangla(wrong(code))],
    ["digits of another script", (code: string) => shifted(code, 0x0966)],
    ["full-width digits", (code: string) => shifted(code, 0xff10)],
    ["letters", () => "O1234S"],
    ["half a character", () => "\ud83d"],
    ["NUL", () => "\u0000"],
    ["32 characters", () => "0".repeat(32)],
  ] as const)("takes an attempt for %s", ([, mistype]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const attempt = Effect.flip(check(organization, requestId, mistype(code)))
      assert.deepInclude(yield* attempt, { _tag: "WrongCode", requestId, attemptsRemaining: 2 })
      assert.deepInclude(yield* attempt, { _tag: "WrongCode", requestId, attemptsRemaining: 1 })
      assert.deepInclude(yield* attempt, { _tag: "AttemptsExhausted", requestId })
      const late = yield* Effect.flip(check(organization, requestId, code))
      assert.deepInclude(late, { _tag: "AttemptsExhausted", requestId })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each(["", "0".repeat(33)])("takes no attempt for %j, which is not a code", (code) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const error = yield* Effect.flip(check(organization, requestId, code))
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        "code",
      ])
      const status = yield* Verifications.use((_) => _.status({ organization, requestId }))
      assert.deepInclude(status, { status: "pending", attemptsRemaining: 3 })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("answers expired from the expiry on, for any code", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { expiresIn: "1 minute" })
      const code = yield* TestEngine.latestCode(phoneNumber)
      yield* TestClock.adjust(60_000)
      for (const typed of [code, wrong(code)]) {
        const error = yield* Effect.flip(check(organization, requestId, typed))
        assert.deepInclude(error, { _tag: "RequestExpired", requestId })
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    "none",
    "",
    "vrf_",
    `vrf_${"0".repeat(44)}`,
    "x".repeat(128),
    "vrf_" + "g".repeat(44),
    "' OR 1=1 --",
    "\u0000",
    "__proto__",
  ])("does not find %j", (requestId) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(check(organization, requestId, "123456"))
      assert.strictEqual(error._tag, requestId === "" ? "InvalidRequest" : "RequestNotFound")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect(
    "does not find another organization's request, with the same error as an unknown one",
    () =>
      Effect.gen(function* () {
        const mine = yield* TestEngine.open({ id: "mine" })
        const theirs = yield* TestEngine.open({ id: "theirs" })
        const { requestId } = yield* send(theirs.organization)
        const code = yield* TestEngine.latestCode(phoneNumber)
        const foreign = yield* Effect.flip(check(mine.organization, requestId, code))
        const absent = yield* Effect.flip(check(mine.organization, `vrf_${"0".repeat(44)}`, code))
        assert.strictEqual(JSON.stringify(foreign), JSON.stringify(absent))
        assert.strictEqual((yield* check(theirs.organization, requestId, code)).status, "verified")
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect(
    "allows an organization twenty checks in any minute, and a refused check costs no attempt",
    () =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const { requestId } = yield* send(organization)
        yield* Effect.replicateEffect(Effect.flip(check(organization, "none", "1")), 20)
        const code = yield* TestEngine.latestCode(phoneNumber)
        const limited = yield* Effect.flip(check(organization, requestId, wrong(code)))
        assert.deepInclude(limited, { _tag: "RateLimited", retryAfterSeconds: 60 })
        yield* TestClock.adjust(60_000)
        const error = yield* Effect.flip(check(organization, requestId, wrong(code)))
        assert.deepInclude(error, { _tag: "WrongCode", attemptsRemaining: 2 })
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("still accepts codes of a secret that is being retired", () =>
    Effect.gen(function* () {
      const store = Layer.succeed(Store, MemoryStore.make())
      const next = Redacted.make("the secret that comes after the first one")
      const before = yield* Layer.build(TestEngine.layer({ store }))
      const during = yield* Layer.build(
        TestEngine.layer({ store, seed: 2, codeSecrets: [next, TestEngine.codeSecret] }),
      )
      const after = yield* Layer.build(TestEngine.layer({ store, seed: 3, codeSecrets: [next] }))
      const { organization } = yield* Effect.provide(TestEngine.open(), before)
      const { requestId } = yield* Effect.provide(send(organization), before)
      const code = yield* Effect.provide(TestEngine.latestCode(phoneNumber), before)
      // A node that does not know the secret compares nothing, however often.
      for (const typed of [code, wrong(code), wrong(code), wrong(code)]) {
        const early = yield* Effect.flip(
          Effect.provide(check(organization, requestId, typed), after),
        )
        assert.deepInclude(early, { _tag: "StoreUnavailable", reason: "secret" })
        assert.isAbove(early._tag === "StoreUnavailable" ? early.retryAfterSeconds : 0, 0)
      }
      const verified = yield* Effect.provide(check(organization, requestId, code), during)
      assert.strictEqual(verified.status, "verified")
      // No code is compared for a request that has ended.
      const again = yield* Effect.provide(check(organization, requestId, code), after)
      assert.isFalse(again.isFirst)
      const expiring = yield* Effect.provide(send(organization), before)
      yield* TestClock.adjust("5 minutes")
      const late = check(organization, expiring.requestId, code)
      const error = yield* Effect.flip(Effect.provide(late, after))
      assert.strictEqual(error._tag, "RequestExpired")
    }),
  )

  it.effect("applies the organization's own limit of attempts", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Organizations.use((_) => _.update({ id: organization, limits: { attempts: 1 } }))
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const error = yield* Effect.flip(check(organization, requestId, wrong(code)))
      assert.strictEqual(error._tag, "AttemptsExhausted")
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})

describe("the profile nist", () => {
  const engine = (limits: Partial<Limits.Limits> = {}) =>
    TestEngine.layer().pipe(
      Layer.provide(Layer.succeed(Limits.Limits, Limits.nist({ ...Limits.defaults, ...limits }))),
    )

  it.effect("refuses short codes and long lifetimes", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(
        send(organization, { codeLength: 5, expiresIn: "601 seconds" }),
      )
      assert.deepInclude(error, { _tag: "InvalidRequest" })
      assert.deepStrictEqual(error._tag === "InvalidRequest" ? Object.keys(error.details) : [], [
        "expiresIn",
        "codeLength",
      ])
    }).pipe(Effect.provide(engine())),
  )

  it.effect("refuses the checks of a verification that was consumed", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      yield* check(organization, requestId, code)
      assert.strictEqual((yield* check(organization, requestId, code)).isFirst, false)
      yield* Verifications.use((_) => _.consume({ organization, requestId }))
      const error = yield* Effect.flip(check(organization, requestId, code))
      assert.strictEqual(error._tag, "AlreadyConsumed")
    }).pipe(Effect.provide(engine())),
  )

  it.effect("refuses to use a verification up after the expiry of its code", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { expiresIn: "10 minutes" })
      yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
      yield* TestClock.adjust(600_000)
      const late = yield* Effect.flip(consume(organization, requestId))
      assert.strictEqual(late._tag, "RequestExpired")
    }).pipe(Effect.provide(engine())),
  )

  it.effect.each([
    ["sms", true],
    ["whatsapp", false],
  ] as const)(
    "is not needed to allow one channel, %s, which is the default then",
    ([only, first]) =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        assert.strictEqual((yield* send(organization)).channel, only)
      }).pipe(
        Effect.provide(
          Layer.provide(engine({ codeChannels: [only] }), Fallback.layer({ whatsappFirst: first })),
        ),
      ),
  )

  it.effect("keeps codes from being sent again over a channel that is no longer allowed", () =>
    Effect.gen(function* () {
      const store = Layer.succeed(Store, MemoryStore.make())
      const over = (codeChannels: Limits.Limits["codeChannels"]) =>
        Effect.provide(
          Layer.provide(
            TestEngine.layer({ store }),
            Layer.succeed(Limits.Limits, { ...Limits.defaults, codeChannels }),
          ),
        )
      const { organization, requestId } = yield* Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        return { organization, requestId: (yield* send(organization)).requestId }
      }).pipe(over(["sms", "whatsapp"]))
      yield* TestClock.adjust("30 seconds")
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(resend(organization, requestId))
        assert.deepNestedInclude(error, {
          _tag: "InvalidRequest",
          "details.channel.0.code": "channel_not_allowed",
        })
        const resent = yield* resend(organization, requestId, { channel: "whatsapp" })
        assert.strictEqual(resent.channel, "whatsapp")
      }).pipe(over(["whatsapp"]))
    }),
  )

  it.effect("is not needed to keep codes off a channel", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(send(organization, { channel: "whatsapp" }))
      assert.deepInclude(error, { _tag: "InvalidRequest" })
      const { requestId } = yield* send(organization)
      yield* TestClock.adjust("30 seconds")
      const resent = yield* Effect.flip(
        Verifications.use((_) => _.resend({ organization, requestId, channel: "whatsapp" })),
      )
      assert.deepInclude(resent, { _tag: "InvalidRequest" })
    }).pipe(Effect.provide(engine({ codeChannels: ["sms"] }))),
  )
})

describe("Verifications.status", () => {
  it.effect("reads a request without changing it", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const status = Verifications.use((_) => _.status({ organization, requestId }))
      const pending = {
        requestId,
        phoneNumber,
        channel: "sms",
        status: "pending",
        attemptsRemaining: 3,
        createdAt: 0,
        expiresAt: 300_000,
        verifiedAt: null,
        consumedAt: null,
        resendsRemaining: 3,
        resendAt: 30_000,
        purpose: null,
        metadata: null,
        failure: null,
      }
      const { messages, ...before } = yield* status
      assert.deepStrictEqual<unknown>(before, pending)
      assert.deepStrictEqual(
        messages.map(({ requestId: of, status }) => [of, status]),
        [[requestId, "delivered"]],
      )
      yield* TestClock.adjust(300_000)
      const { messages: _, ...after } = yield* status
      assert.deepStrictEqual<unknown>(after, {
        ...pending,
        status: "expired",
        resendsRemaining: 0,
        resendAt: null,
      })
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
