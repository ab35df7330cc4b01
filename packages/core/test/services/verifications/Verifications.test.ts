import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as MemoryStore from "../../../src/adapters/MemoryStore.ts"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as Fallback from "../../../src/engine/SmsFallback.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Parsed } from "../../../src/api/Caller.ts"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Messages } from "../../../src/services/Messages.ts"
import {
  type SendVerification,
  Verifications,
} from "../../../src/services/verifications/Verifications.ts"
import { invalidFields } from "../../support/invalidFields.ts"
import { moneyOf } from "../../support/log.ts"
import { untyped } from "../../support/untyped.ts"
import { check, phoneNumber, send, resend, wrong } from "../../support/verifying.ts"
import { engineTest, testOn, effectTest } from "../../support/engineTest.ts"
import { Store } from "../../../src/ports/Store.ts"

/** The newest message of the log. */
const logged = (organization: OrganizationId) =>
  Effect.map(
    Messages.use((_) => _.list({ organization })),
    ({ messages }) => messages[0],
  )

describe("Verifications.send", () => {
  engineTest("sends a code to the phone, and neither returns nor logs it", function* () {
    const { organization } = yield* TestEngine.open()
    const sent = yield* send(organization, { codeLength: 8 })
    const code = yield* TestEngine.latestCode(phoneNumber)
    assert.match(code, /^\d{8}$/)
    assert.deepInclude(sent, {
      phoneNumber: phoneNumber,
      channel: "sms",
      status: "pending",
      expiresAt: 300_000,
      expiresInSeconds: 300,
    })
    assert.match(sent.requestId, /^vrf_[0-9a-f]{44}$/)
    assert.notInclude(JSON.stringify(sent), code)
    // Its mask is as long as any other's.
    assert.deepInclude(yield* logged(organization), {
      text: "•••••• is your verification code. Do not share it with anyone.",
      phoneNumber: phoneNumber,
      logChannel: "non-mask",
      status: "delivered",
      requestId: sent.requestId,
    })
    assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.00 held, 3 entries")
  })

  const invalid: ReadonlyArray<
    readonly [Partial<Parsed<SendVerification>>, fields: ReadonlyArray<string>]
  > = [
    [{ phoneNumber: "8801712345678" }, ["phoneNumber"]],
    [{ codeLength: 3 }, ["codeLength"]],
    [{ codeLength: 11 }, ["codeLength"]],
    [{ expiresIn: "59 seconds" }, ["expiresIn"]],
    [{ expiresIn: "3601 seconds" }, ["expiresIn"]],
    [{ expiresIn: "60.5 seconds" }, ["expiresIn"]],
    [{ expiresIn: untyped(300) }, ["expiresIn"]],
    [{ locale: "fr-fr" }, ["locale"]],
    [{ sender: "unknown" }, ["sender"]],
    [{ sender: "profile" }, ["sender"]],
    [{ purpose: "Log in" }, ["purpose"]],
    [{ metadata: "[]" }, ["metadata"]],
    [{ payment: { amount: "", payee: "Acme" } }, ["payment"]],
    [{ payment: { amount: "5", payee: "x".repeat(65) } }, ["payment"]],
    [
      { phoneNumber: "x", codeLength: 0, expiresIn: "0 seconds", locale: "x", sender: "x" },
      ["codeLength", "expiresIn", "locale", "phoneNumber", "sender"],
    ],
    [{ channel: FieldProblem.make("unknown_channel", {}), sender: "unknown" }, ["channel"]],
    [{ phoneNumber: FieldProblem.make("not_string", {}) }, ["phoneNumber"]],
    [{ channel: "whatsapp", sender: FieldProblem.make("not_string", {}) }, ["sender"]],
    [
      { phoneNumber: "x", codeLength: FieldProblem.make("not_integer", {}) },
      ["codeLength", "phoneNumber"],
    ],
  ]
  engineTest.each(invalid)("refuses %j, saying %j", function* ([input, fields]) {
    const { organization } = yield* TestEngine.open()
    const error = yield* Effect.flip(send(organization, input))
    const details = error._tag === "InvalidRequest" ? error.details : {}
    assert.deepStrictEqual(Object.keys(details).toSorted(), fields)
    for (const sentences of Object.values(details)) assert.strictEqual(sentences.length, 1)
    assert.isUndefined(yield* logged(organization))
  })

  testOn(TestEngine.layer({ gateway: { isOnWhatsApp: () => false } }))(
    "checks WhatsApp reachability after the limits and before the charge",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const errors = yield* Effect.replicateEffect(
        Effect.flip(send(organization, { channel: "whatsapp" })),
        11,
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        [...Array.from({ length: 10 }, () => "NotOnWhatsApp"), "RateLimited"],
      )
      assert.isUndefined(yield* logged(organization))
    },
  )

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverAnswer" }) } }))(
    "answers pending if the outcome of the send is unknown: the code may still arrive",
    function* () {
      const { organization } = yield* TestEngine.open()
      const fiber = yield* Effect.forkChild(send(organization))
      yield* TestClock.adjust(10_000)
      const sent = yield* Fiber.join(fiber)
      assert.strictEqual(sent.status, "pending")
      assert.deepInclude(yield* logged(organization), { status: "unknown", hold: "open" })
      assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.50 held, 2 entries")
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.strictEqual((yield* check(organization, sent.requestId, code)).status, "verified")
    },
  )
})

describe("Verifications.check", () => {
  engineTest("verifies a right code, and gives the same answer to every later code", function* () {
    const { organization } = yield* TestEngine.open()
    yield* TestClock.adjust(1_000)
    const { requestId } = yield* send(organization)
    const code = yield* TestEngine.latestCode(phoneNumber)
    yield* TestClock.adjust(5_000)
    // As some type it.
    const first = yield* check(organization, requestId, `${code.slice(0, 3)} ${code.slice(3)}`)
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
  })

  engineTest.each([
    ["another digit", wrong],
    ["letters", () => "O1234S"],
    ["spaces alone", () => "   "],
    ["one digit", () => "1"],
    ["32 characters", () => "0".repeat(32)],
  ] as const)("takes an attempt for %s", function* ([, mistype]) {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    const code = yield* TestEngine.latestCode(phoneNumber)
    const attempt = Effect.flip(check(organization, requestId, mistype(code)))
    assert.deepInclude(yield* attempt, { _tag: "WrongCode", requestId, attemptsRemaining: 2 })
  })

  engineTest.each(["", "0".repeat(33)])(
    "takes no attempt for %j, which is not a code",
    function* (code) {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      assert.deepStrictEqual(yield* invalidFields(check(organization, requestId, code)), ["code"])
      const status = yield* Verifications.use((_) => _.status({ organization, requestId }))
      assert.deepInclude(status, { status: "pending", attemptsRemaining: 3 })
    },
  )

  engineTest(
    "does not find another organization's request, with the same error as an unknown one",
    function* () {
      const mine = yield* TestEngine.open({ id: "mine" })
      const theirs = yield* TestEngine.open({ id: "theirs" })
      const { requestId } = yield* send(theirs.organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const foreign = yield* Effect.flip(check(mine.organization, requestId, code))
      const absent = yield* Effect.flip(check(mine.organization, `vrf_${"0".repeat(44)}`, code))
      assert.strictEqual(JSON.stringify(foreign), JSON.stringify(absent))
      assert.strictEqual((yield* check(theirs.organization, requestId, code)).status, "verified")
    },
  )

  effectTest("still accepts codes of a secret that is being retired", function* () {
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
      const early = yield* Effect.flip(Effect.provide(check(organization, requestId, typed), after))
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
  })
})

describe("the profile nist", () => {
  const engine = (limits: Partial<Limits.Limits> = {}) =>
    TestEngine.layer().pipe(
      Layer.provide(Layer.succeed(Limits.Limits, Limits.nist({ ...Limits.defaults, ...limits }))),
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

  effectTest(
    "keeps codes from being sent again over a channel that is no longer allowed",
    function* () {
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
    },
  )

  testOn(engine({ codeChannels: ["sms"] }))(
    "is not needed to keep codes off a channel",
    function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(send(organization, { channel: "whatsapp" }))
      assert.deepInclude(error, { _tag: "InvalidRequest" })
      const { requestId } = yield* send(organization)
      yield* TestClock.adjust("30 seconds")
      // The fields are judged before the request is looked up.
      for (const id of [requestId, "vrf_unknown"]) {
        const resent = yield* Effect.flip(resend(organization, id, { channel: "whatsapp" }))
        assert.nestedPropertyVal(resent, "details.channel[0].code", "channel_not_allowed")
      }
      const fax = yield* Effect.flip(resend(organization, requestId, { channel: untyped("fax") }))
      assert.nestedPropertyVal(fax, "details.channel[0].code", "unknown_channel")
    },
  )
})

describe("Verifications.status", () => {
  engineTest("reads a request without changing it", function* () {
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
      now: 0,
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
      now: 300_000,
    })
  })
})
