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
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as TestNumber from "../../src/domain/verifications/TestNumber.ts"
import * as TestNumbers from "../../src/engine/TestNumbers.ts"
import { gatewayLayer, engineOver } from "../support/engineOver.ts"
import { moneyOf } from "../support/log.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { effectTest, engineTest, testOn } from "../support/engineTest.ts"
import * as Fraud from "../../src/services/Fraud.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"

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
  testOn(engine())("has the configured code, for any requested length", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization, { codeLength: 4 })
    assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    const again = yield* send(organization)
    assert.strictEqual((yield* check(organization, again.requestId, code)).status, "verified")
  })

  testOn(engine())(
    "never reaches the gateway and is never charged, even without money",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      yield* send(organization)
      assert.strictEqual(yield* dispatches, 0)
      assert.strictEqual(yield* moneyOf(organization), "0.00 + 0.00 held, 0 entries")
    },
  )

  testOn(engine())("is marked in the log, whose text does not contain the code", function* () {
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
  })

  testOn(engine())(
    "stores only a digest of the code, a different one for each request",
    function* () {
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
    },
  )

  testOn(engine("delivered", { bypassLimits: true }))(
    "has no limits if they are lifted",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 30)
      yield* Effect.replicateEffect(send(organization, { channel: "whatsapp" }), 30)
      const { requestId } = yield* send(organization)
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    },
  )
})

// outcome, channel, what a code and a message answer, the log's status
it.effect.each([
  ["delivered", "sms", "pending", "delivered", "delivered"],
  ["delivered", "whatsapp", "pending", "delivered", "delivered"],
  ["undelivered", "sms", "pending", "delivered", "undelivered"],
  ["undelivered", "whatsapp", "pending", "delivered", "undelivered"],
  ["not-on-whatsapp", "sms", "pending", "delivered", "delivered"],
  ["not-on-whatsapp", "whatsapp", "NotOnWhatsApp", "NotOnWhatsApp", undefined],
  ["failed", "sms", "SendingFailed", "SendingFailed", "failed"],
  ["failed", "whatsapp", "SendingFailed", "SendingFailed", "failed"],
] as const)("a test number that is %s over %s answers %s or %s and is logged as %s", (row) =>
  Effect.gen(function* () {
    const [, channel, ofCode, ofMessage, status] = row
    const { organization } = yield* TestEngine.open()
    const { organization: other } = yield* TestEngine.open({ id: "other" })
    const code = yield* Effect.result(send(organization, { channel }))
    assert.strictEqual((yield* logged(organization))?.status, status)
    const text = yield* Effect.result(message(organization, channel))
    const said = [code, text].map((one) =>
      one._tag === "Success" ? one.success.status : one.failure._tag,
    )
    assert.deepStrictEqual(said, [ofCode, ofMessage])
    assert.strictEqual((yield* logged(organization))?.status, status)
    if (code._tag === "Success") yield* check(organization, code.success.requestId, "730164")
    assert.strictEqual(yield* moneyOf(organization), yield* moneyOf(other))
    assert.strictEqual(yield* dispatches, 0)
  }).pipe(Effect.provide(engine(row[0]))),
)

describe("a message to a test number", () => {
  testOn(engine())(
    "never reaches the gateway and is never charged, even without money",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const sent = yield* message(organization)
      const written = yield* logged(organization)
      assert.deepStrictEqual<unknown>(sent, {
        id: `${written?.id}_1`,
        sequence: 1,
        logStatus: "delivered",
        price: Money.zero,
        gatewayId: `test_${written?.id}`,
        phoneNumber,
        channel: "sms",
        status: "delivered",
        balance: Money.zero,
      })
      assert.deepInclude(written, { gateway: TestNumber.gateway, text: "Hello" })
      assert.strictEqual(yield* dispatches, 0)
      assert.strictEqual(yield* moneyOf(organization), "0.00 + 0.00 held, 0 entries")
    },
  )

  testOn(
    Layer.provide(
      engineOver(gatewayLayer({ capabilities: { reports: "none" }, send: () => Effect.never })),
      numbers("undelivered"),
    ),
  )("ends as configured if the gateway in use never reports and checks no number", function* () {
    const { organization } = yield* TestEngine.open()
    yield* message(organization)
    assert.strictEqual((yield* logged(organization))?.status, "undelivered")
  })

  testOn(Layer.provide(engineOver(gatewayLayer({})), numbers("not-on-whatsapp")))(
    "is refused over WhatsApp if the gateway in use checks no number",
    function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(message(organization, "whatsapp"))
      assert.strictEqual(error._tag, "NotOnWhatsApp")
    },
  )

  testOn(engine())(
    "has a preview price of zero, unlike a message to any other number",
    function* () {
      const { organization } = yield* TestEngine.open()
      const price = (to?: string) =>
        Effect.map(
          Messages.use((_) => _.preview({ organization, text: "Hello", phoneNumber: to })),
          (preview) => Money.format(preview.price),
        )
      assert.strictEqual(yield* price(phoneNumber), "0.00")
      assert.strictEqual(yield* price("8801812345678"), "0.50")
      assert.strictEqual(yield* price(), "0.50")
    },
  )
})

describe("test numbers", () => {
  testOn(engine())("do not change any other number", function* () {
    const { organization } = yield* TestEngine.open()
    yield* send(organization, { phoneNumber: "+8801812345678" })
    yield* message(organization, "sms", "+8801812345678")
    assert.strictEqual(yield* dispatches, 2)
    assert.strictEqual((yield* logged(organization))?.gateway, "simulated")
    assert.strictEqual(yield* moneyOf(organization), "99.00 + 0.00 held, 5 entries")
  })

  engineTest("do not exist by default", function* () {
    assert.isUndefined((yield* TestNumbers.TestNumbers).find(phoneNumber))
    const { organization } = yield* TestEngine.open()
    yield* send(organization)
    assert.strictEqual(yield* dispatches, 1)
  })

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

  effectTest(
    "in production are refused under the profile nist, although they are allowed",
    function* () {
      const allowed = numbers("delivered", { production: true, allowInProduction: true })
      const nist = Layer.succeed(Limits.Limits, Limits.nist(Limits.defaults))
      const exit = yield* Effect.exit(Layer.build(Layer.provide(allowed, nist)))
      assert.match(String(exit), /not for production under the profile nist/)
    },
  )

  effectTest(
    "that are invalid prevent the start, and the error does not repeat them",
    function* () {
      const bad = { ...named(), code: Redacted.make("90210x") }
      const exit = yield* Effect.exit(
        Layer.build(TestNumbers.layer({ numbers: [bad], production: false })),
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.match(String(exit), /Test numbers: number 1 must have a code/)
      assert.notMatch(String(exit), /90210x|8801712345678/)
    },
  )
})

/** Of the same prefix. */
const customer = PhoneNumber.fromE164("+8801712345999")

describe("codes of a test number", () => {
  testOn(Layer.provide(engine(), FraudRules.layerRules({ maxSent: 1, action: "deny" })))(
    "do not use up the prefix's maximum, and are not denied by it",
    function* () {
      const { organization } = yield* TestEngine.open()
      const results = yield* Effect.forEach(
        [phoneNumber, phoneNumber, phoneNumber, customer, customer, phoneNumber],
        (number) =>
          Effect.match(send(organization, { phoneNumber: number }), {
            onFailure: ({ _tag }) => _tag,
            onSuccess: () => "sent",
          }),
      )
      assert.deepStrictEqual(results, ["sent", "sent", "sent", "sent", "RateLimited", "sent"])
      const [finding, ...others] = yield* Fraud.Fraud.use((_) => _.findings({ organization }))
      assert.deepInclude(finding, { reason: "velocity", sent: 1, verified: 0 })
      assert.deepStrictEqual(others, [])
    },
  )
})
