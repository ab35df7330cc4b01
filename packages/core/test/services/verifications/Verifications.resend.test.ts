import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../../src/adapters/MemoryStore.ts"
import { type Behaviour, SimulatedGateway } from "../../../src/adapters/SimulatedGateway.ts"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import * as Message from "../../../src/domain/messages/Message.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import { Pricing } from "../../../src/decide/Pricing.ts"
import { Store } from "../../../src/ports/Store.ts"
import { Accounts } from "../../../src/services/Accounts.ts"
import { Senders } from "../../../src/services/Senders.ts"
import * as Fallback from "../../../src/engine/SmsFallback.ts"
import { Messages } from "../../../src/services/Messages.ts"
import * as Templates from "../../../src/text/Templates.ts"
import { atOnce, check, phoneNumber, resend, send, statusOf } from "../../support/verifying.ts"
import { effectTest, testOn } from "../../support/engineTest.ts"

/** The codes that have reached the number, newest first. */
const codes = SimulatedGateway.use((gateway) =>
  Effect.map(gateway.journal(phoneNumber), (sent) => sent.map(({ code }) => code)),
)

/** The log, oldest first, and what is left: `sms 0.50, whatsapp 0.25; 99.25`. */
const story = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { messages } = yield* Messages.use((_) => _.list({ organization }))
  const { balance } = yield* Accounts.use((_) => _.balance({ organization }))
  const lines = messages
    .toReversed()
    .map((one) => `${one.channel} ${Money.format(Message.price(one))}`)
  return `${lines.join(", ")}; ${Money.format(balance)}`
})

const prices = Layer.succeed(Pricing, {
  currency: "BDT",
  price: ({ channel }) => Money.make(channel === "sms" ? "0.5" : "0.25"),
})

const refuse: Behaviour = { _tag: "Reject", message: "no such user" }

interface Setting {
  readonly sms?: Behaviour
  readonly whatsapp?: Behaviour
  readonly isOnWhatsApp?: boolean
  readonly fallback?: boolean
}

const engine = ({ fallback = false, isOnWhatsApp = true, sms, whatsapp }: Setting = {}) =>
  TestEngine.layer({
    gateway: {
      behave: ({ channel }) => (channel === "sms" ? sms : whatsapp) ?? { _tag: "Deliver" },
      isOnWhatsApp: () => isOnWhatsApp,
    },
  }).pipe(Layer.provide([prices, fallback ? Fallback.layer() : Layer.empty]))

/** A request whose cooldown is over. */
const requested = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const { requestId } = yield* send(organization)
  yield* TestClock.adjust(30_000)
  return { organization, requestId }
})

describe("Verifications.resend", () => {
  testOn(engine())("sends the same code again, and charges the message", function* () {
    const { organization, requestId } = yield* requested
    assert.deepStrictEqual<unknown>(yield* resend(organization, requestId), {
      requestId,
      phoneNumber,
      channel: "sms",
      status: "pending",
      // The expiry stays.
      expiresAt: 300_000,
      expiresInSeconds: 270,
      resendsRemaining: 2,
      resendAt: 60_000,
    })
    const [second, first] = yield* codes
    assert.match(first ?? "", /^\d{6}$/)
    assert.strictEqual(second, first)
    assert.strictEqual(yield* story(organization), "sms 0.50, sms 0.50; 99.00")
    const texts = yield* Messages.use((_) => _.list({ organization }))
    for (const { text } of texts.messages) assert.include(text, "•••••• ")
    const verified = yield* check(organization, requestId, first ?? "")
    assert.strictEqual(verified.status, "verified")
  })

  testOn(
    engine().pipe(
      Layer.provide(
        Layer.succeed(
          Templates.Templates,
          Templates.make([
            ...Templates.standardEntries,
            {
              locale: "second",
              template: ({ code, payment }) =>
                `${code} pays ${payment?.amount ?? ""} to ${payment?.payee ?? ""}`,
            },
          ]),
        ),
      ),
    ),
  )("sends the text of the first message: its locale and its payment", function* () {
    const { organization } = yield* TestEngine.open()
    const payment = { amount: "1,500 BDT", payee: "Acme" }
    const { requestId } = yield* send(organization, { locale: "second", payment })
    yield* TestClock.adjust(30_000)
    yield* resend(organization, requestId)
    const gateway = yield* SimulatedGateway
    const [second, first] = yield* gateway.journal(phoneNumber)
    assert.match(first?.text ?? "", /^\d{6} pays 1,500 BDT to Acme$/)
    assert.strictEqual(second?.text, first?.text)
  })

  testOn(engine())("does not find another organization's request", function* () {
    const { requestId } = yield* requested
    const { organization } = yield* TestEngine.open({ id: "other" })
    const foreign = yield* Effect.flip(resend(organization, requestId))
    const unknown = yield* Effect.flip(resend(organization, "none"))
    assert.strictEqual(foreign._tag, "RequestNotFound")
    assert.deepStrictEqual(foreign, unknown)
  })

  testOn(engine({ whatsapp: refuse }))(
    "fails if the gateway refuses the message, and leaves the request pending",
    function* () {
      const { organization, requestId } = yield* requested
      const refused = yield* Effect.flip(resend(organization, requestId, { channel: "whatsapp" }))
      assert.deepInclude(refused, { _tag: "SendingFailed", status: "failed" })
      assert.strictEqual(yield* story(organization), "sms 0.50, whatsapp 0.00; 99.50")
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    },
  )

  testOn(engine({ whatsapp: refuse, fallback: true }))(
    "falls back on SMS like the first message",
    function* () {
      const { organization, requestId } = yield* requested
      const sent = yield* resend(organization, requestId, { channel: "whatsapp" })
      assert.deepInclude(sent, { channel: "sms", resendsRemaining: 2 })
      assert.strictEqual(yield* story(organization), "sms 0.50, whatsapp 0.00, sms 0.50; 99.00")
      assert.strictEqual((yield* statusOf(organization, requestId)).resendsRemaining, 2)
    },
  )

  testOn(engine({ isOnWhatsApp: false }))(
    "does not send over WhatsApp to a number that is not there, and counts it",
    function* () {
      const { organization, requestId } = yield* requested
      const toWhatsApp = resend(organization, requestId, { channel: "whatsapp" })
      assert.strictEqual((yield* Effect.flip(toWhatsApp))._tag, "NotOnWhatsApp")
      assert.strictEqual(yield* story(organization), "sms 0.50; 99.50")
      assert.deepInclude(yield* Effect.flip(toWhatsApp), { reason: "cooldown" })
    },
  )

  testOn(engine())("requires a sender for the channel", function* () {
    const { organization, requestId } = yield* requested
    const line = { id: "line", kind: "non-masking", sender: "8809600000000" } as const
    yield* Senders.use((_) => _.save({ organization, ...line, status: "rejected" }))
    const refused = yield* Effect.flip(resend(organization, requestId))
    assert.deepStrictEqual(refused._tag === "InvalidRequest" ? refused.details : refused, {
      channel: [FieldProblem.make("no_default_brand", { channel: "sms" })],
    })
    assert.strictEqual(yield* story(organization), "sms 0.50; 99.50")
  })

  effectTest("works with a secret that is being retired, and not without it", function* () {
    const store = Layer.succeed(Store, MemoryStore.make())
    const next = Redacted.make("the secret that comes after the first")
    const node = (seed: number, ...codeSecrets: ReadonlyArray<typeof next>) =>
      Layer.build(TestEngine.layer({ store, seed, codeSecrets: [next, ...codeSecrets] }))
    const before = yield* Layer.build(TestEngine.layer({ store }))
    const during = yield* node(2, TestEngine.codeSecret)
    const after = yield* node(3)
    const { organization } = yield* Effect.provide(TestEngine.open(), before)
    const { requestId } = yield* Effect.provide(send(organization), before)
    yield* TestClock.adjust(30_000)
    const late = yield* Effect.flip(Effect.provide(resend(organization, requestId), after))
    assert.deepInclude(late, { _tag: "StoreUnavailable", reason: "secret" })
    yield* Effect.provide(resend(organization, requestId), during)
    const code = yield* Effect.provide(TestEngine.latestCode(phoneNumber), during)
    assert.strictEqual(code, yield* Effect.provide(TestEngine.latestCode(phoneNumber), before))
  })

  testOn(engine())("sends one message if 16 calls come at once", function* () {
    const { organization, requestId } = yield* requested
    assert.deepStrictEqual(yield* atOnce(resend(organization, requestId)), {
      done: 1,
      RateLimited: 15,
    })
    assert.strictEqual((yield* codes).length, 2)
  })
})
