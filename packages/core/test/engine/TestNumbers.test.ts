import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Channel } from "../../src/domain/values/Channel.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Limits from "../../src/domain/limits/Limits.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as TestNumber from "../../src/domain/verifications/TestNumber.ts"
import * as TestNumbers from "../../src/engine/TestNumbers.ts"
import { gatewayLayer, engineOver } from "../support/engineOver.ts"
import { moneyOf } from "../support/log.ts"
import { check, phoneNumber, send, wrong } from "../support/verifying.ts"

const code = "730164"

const named = (outcome: TestNumber.Outcome = "delivered"): TestNumber.TestNumber => ({
  phoneNumber: phoneNumber,
  code: Redacted.make(code),
  outcome,
})

const numbers = (
  outcome?: TestNumber.Outcome,
  options: Partial<TestNumber.Options> = {},
): Layer.Layer<never> =>
  TestNumbers.layer({ numbers: [named(outcome)], production: false, ...options })

const engine = (outcome?: TestNumber.Outcome, options: Partial<TestNumber.Options> = {}) =>
  Layer.provide(TestEngine.layer(), numbers(outcome, options))

/** The newest message of the log. */
const logged = (organization: OrganizationId) =>
  Effect.map(
    Messages.use((_) => _.list({ organization })),
    ({ messages }) => messages[0],
  )

const message = (
  organization: OrganizationId,
  channel: Channel = "sms",
  to: string = phoneNumber,
) => Messages.use((_) => _.send({ organization, phoneNumber: to, channel, text: "Hello" }))

const dispatches = SimulatedGateway.use((_) => _.dispatches)

describe("a verification of a test number", () => {
  it.effect("has the configured code, for any requested length", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { codeLength: 4 })
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
      const again = yield* send(organization)
      assert.strictEqual((yield* check(organization, again.requestId, code)).status, "verified")
    }).pipe(Effect.provide(engine())),
  )

  it.effect("is answered like any other verification", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const sent = yield* send(organization)
      assert.match(sent.requestId, /^vrf_[0-9a-f]{44}$/)
      assert.deepStrictEqual<unknown>(sent, {
        requestId: sent.requestId,
        phoneNumber,
        channel: "sms",
        status: "pending",
        expiresAt: 300_000,
        expiresInSeconds: 300,
        resendAt: 30_000,
        resendsRemaining: 3,
      })
    }).pipe(Effect.provide(engine())),
  )

  it.effect("never reaches the gateway and is never charged, even without money", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      yield* send(organization)
      assert.strictEqual(yield* dispatches, 0)
      assert.strictEqual(yield* moneyOf(organization), "0.00 + 0.00 held, 0 entries")
    }).pipe(Effect.provide(engine())),
  )

  it.effect("is marked in the log, whose text does not contain the code", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const message = yield* logged(organization)
      assert.deepInclude(message, {
        gateway: TestNumber.gateway,
        gatewayId: `test_${message?.id}`,
        requestId,
        charge: Money.zero,
        text: "•••••• is your verification code. Do not share it with anyone.",
      })
    }).pipe(Effect.provide(engine())),
  )

  it.effect("stores only a digest of the code, a different one for each request", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const store = yield* Store
      const stored = Effect.fnUntraced(function* () {
        const { requestId } = yield* send(organization)
        return (yield* store.verification(organization, requestId))?.verification
      })
      const [one, two] = [yield* stored(), yield* stored()]
      assert.strictEqual(one?.digest.length, 32)
      assert.notDeepEqual(one?.digest, two?.digest)
      assert.notInclude(JSON.stringify([one, two]), code)
    }).pipe(Effect.provide(engine())),
  )

  it.effect("loses an attempt for each wrong code, like any other verification", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const errors = yield* Effect.replicateEffect(
        Effect.flip(check(organization, requestId, wrong(code))),
        3,
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["WrongCode", "WrongCode", "AttemptsExhausted"],
      )
    }).pipe(Effect.provide(engine())),
  )

  // outcome, channel, what send says, the log's status, whether the code can be checked
  it.effect.each([
    ["delivered", "sms", "pending", "delivered", true],
    ["delivered", "whatsapp", "pending", "delivered", true],
    ["undelivered", "sms", "pending", "undelivered", true],
    ["undelivered", "whatsapp", "pending", "undelivered", true],
    ["not-on-whatsapp", "sms", "pending", "delivered", true],
    ["not-on-whatsapp", "whatsapp", "NotOnWhatsApp", undefined, false],
    ["failed", "sms", "SendingFailed", "failed", false],
    ["failed", "whatsapp", "SendingFailed", "failed", false],
  ] as const)("that is %s over %s answers %s and is logged as %s", (row) =>
    Effect.gen(function* () {
      const [, channel, says, status, isCheckable] = row
      const { organization } = yield* TestEngine.open()
      const { organization: other } = yield* TestEngine.open({ id: "other" })
      const answered = yield* Effect.result(send(organization, { channel }))
      if (answered._tag === "Success") {
        assert.strictEqual(answered.success.status, says)
        const { requestId } = answered.success
        assert.isTrue(isCheckable)
        assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
      } else {
        assert.strictEqual(answered.failure._tag, says)
      }
      assert.strictEqual((yield* logged(organization))?.status, status)
      assert.strictEqual(yield* moneyOf(organization), yield* moneyOf(other))
      assert.strictEqual(yield* dispatches, 0)
    }).pipe(Effect.provide(engine(row[0]))),
  )

  it.effect("ends as configured if the gateway in use never reports and checks no number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization)
      assert.strictEqual((yield* logged(organization))?.status, "undelivered")
    }).pipe(
      Effect.provide(
        Layer.provide(
          engineOver(gatewayLayer({ capabilities: { reports: "none" }, send: () => Effect.never })),
          numbers("undelivered"),
        ),
      ),
    ),
  )

  it.effect("is refused over WhatsApp if the gateway in use checks no number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(send(organization, { channel: "whatsapp" }))
      assert.strictEqual(error._tag, "NotOnWhatsApp")
    }).pipe(
      Effect.provide(Layer.provide(engineOver(gatewayLayer({})), numbers("not-on-whatsapp"))),
    ),
  )

  it.effect("has the limits of any other number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 5)
      const errors = yield* Effect.replicateEffect(Effect.flip(send(organization)), 6)
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        [...Array.from({ length: 5 }, () => "TooManyPending"), "RateLimited"],
      )
    }).pipe(Effect.provide(engine())),
  )

  it.effect("has no limits if they are lifted", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 30)
      yield* Effect.replicateEffect(send(organization, { channel: "whatsapp" }), 30)
      const { requestId } = yield* send(organization)
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    }).pipe(Effect.provide(engine("delivered", { bypassLimits: true }))),
  )
})

describe("a message to a test number", () => {
  it.effect("never reaches the gateway and is never charged, even without money", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const sent = yield* message(organization)
      const written = yield* logged(organization)
      assert.deepStrictEqual<unknown>(sent, {
        gatewayId: `test_${written?.id}`,
        phoneNumber,
        channel: "sms",
        status: "delivered",
        balance: Money.zero,
      })
      assert.deepInclude(written, { gateway: TestNumber.gateway, text: "Hello" })
      assert.strictEqual(yield* dispatches, 0)
      assert.strictEqual(yield* moneyOf(organization), "0.00 + 0.00 held, 0 entries")
    }).pipe(Effect.provide(engine())),
  )

  // outcome, channel, what send says, the log's status
  it.effect.each([
    ["delivered", "sms", "delivered", "delivered"],
    ["delivered", "whatsapp", "delivered", "delivered"],
    ["undelivered", "sms", "delivered", "undelivered"],
    ["undelivered", "whatsapp", "delivered", "undelivered"],
    ["not-on-whatsapp", "sms", "delivered", "delivered"],
    ["not-on-whatsapp", "whatsapp", "NotOnWhatsApp", undefined],
    ["failed", "sms", "SendingFailed", "failed"],
    ["failed", "whatsapp", "SendingFailed", "failed"],
  ] as const)("that is %s over %s answers %s and is logged as %s", (row) =>
    Effect.gen(function* () {
      const [, channel, says, status] = row
      const { organization } = yield* TestEngine.open()
      const { organization: other } = yield* TestEngine.open({ id: "other" })
      const answered = yield* Effect.result(message(organization, channel))
      const said = answered._tag === "Success" ? answered.success.status : answered.failure._tag
      assert.strictEqual(said, says)
      assert.strictEqual((yield* logged(organization))?.status, status)
      assert.strictEqual(yield* moneyOf(organization), yield* moneyOf(other))
      assert.strictEqual(yield* dispatches, 0)
    }).pipe(Effect.provide(engine(row[0]))),
  )

  it.effect("ends as configured if the gateway in use never reports and checks no number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* message(organization)
      assert.strictEqual((yield* logged(organization))?.status, "undelivered")
    }).pipe(
      Effect.provide(
        Layer.provide(
          engineOver(gatewayLayer({ capabilities: { reports: "none" }, send: () => Effect.never })),
          numbers("undelivered"),
        ),
      ),
    ),
  )

  it.effect("is refused over WhatsApp if the gateway in use checks no number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(message(organization, "whatsapp"))
      assert.strictEqual(error._tag, "NotOnWhatsApp")
    }).pipe(
      Effect.provide(Layer.provide(engineOver(gatewayLayer({})), numbers("not-on-whatsapp"))),
    ),
  )

  it.effect("counts toward the limit of messages, like any other message", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const limit = { max: 1, windowMillis: 60_000 }
      yield* Organizations.use((_) =>
        _.update({ id: organization, limits: { messagesPerOrganization: limit } }),
      )
      yield* message(organization)
      assert.strictEqual((yield* Effect.flip(message(organization)))._tag, "RateLimited")
    }).pipe(Effect.provide(engine("delivered", { bypassLimits: true }))),
  )

  it.effect("has a preview price of zero, unlike a message to any other number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const price = (to?: string) =>
        Effect.map(
          Messages.use((_) => _.preview({ organization, text: "Hello", phoneNumber: to })),
          (preview) => Money.format(preview.price),
        )
      assert.strictEqual(yield* price(phoneNumber), "0.00")
      assert.strictEqual(yield* price("8801812345678"), "0.50")
      assert.strictEqual(yield* price(), "0.50")
    }).pipe(Effect.provide(engine())),
  )
})

describe("test numbers", () => {
  it.effect("do not change any other number", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization, { phoneNumber: "+8801812345678" })
      yield* message(organization, "sms", "+8801812345678")
      assert.strictEqual(yield* dispatches, 2)
      assert.strictEqual((yield* logged(organization))?.gateway, "simulated")
      assert.strictEqual(yield* moneyOf(organization), "99.00 + 0.00 held, 5 entries")
    }).pipe(Effect.provide(engine())),
  )

  it.effect("do not exist by default", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* TestNumbers.TestNumbers).find(phoneNumber))
      const { organization } = yield* TestEngine.open()
      yield* send(organization)
      assert.strictEqual(yield* dispatches, 1)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    [false, false, false],
    [false, true, false],
    [true, false, true],
    [true, true, false],
  ] as const)(
    "in production %s, allowed there %s: the start is refused %s",
    ([production, allowInProduction, isRefused]) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(
          Layer.build(numbers("delivered", { production, allowInProduction })),
        )
        assert.strictEqual(Exit.isFailure(exit), isRefused)
      }).pipe(Effect.scoped),
  )

  it.effect("in production are refused under the profile nist, although they are allowed", () =>
    Effect.gen(function* () {
      const allowed = numbers("delivered", { production: true, allowInProduction: true })
      const nist = Layer.succeed(Limits.Limits, Limits.nist(Limits.defaults))
      const exit = yield* Effect.exit(Layer.build(Layer.provide(allowed, nist)))
      assert.match(String(exit), /not for production under the profile nist/)
    }).pipe(Effect.scoped),
  )

  it.effect("that are invalid prevent the start, and the error does not repeat them", () =>
    Effect.gen(function* () {
      const bad = { ...named(), code: Redacted.make("90210x") }
      const exit = yield* Effect.exit(
        Layer.build(TestNumbers.layer({ numbers: [bad], production: false })),
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.match(String(exit), /Test numbers: number 1 must have a code/)
      assert.notMatch(String(exit), /90210x|8801712345678/)
    }).pipe(Effect.scoped),
  )
})
