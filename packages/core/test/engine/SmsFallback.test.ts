import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Accounts } from "../../src/services/Accounts.ts"
import { Senders } from "../../src/services/Senders.ts"
import { DispatchPolicy } from "../../src/delivery/Dispatcher.ts"
import type { Event } from "../../src/domain/events/Event.ts"
import { Events } from "../../src/engine/Events.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Message from "../../src/domain/messages/Message.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Reports } from "../../src/services/Reports.ts"
import { type Behaviour, SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { accept, deliver, prices, refuse } from "../support/telling.ts"
import { check, send } from "../support/verifying.ts"
import { effectTest, testOn } from "../support/engineTest.ts"
import * as Duration from "effect/Duration"
import { untyped } from "../support/untyped.ts"

interface Setting {
  readonly whatsapp?: Behaviour
  readonly sms?: Behaviour
  readonly isOnWhatsApp?: boolean
  readonly fallback?: Fallback.Options
  readonly running?: boolean
  readonly store?: Store["Service"]
}

/** Two minutes instead of a day: rounds of settlement pass by the second. */
const deadlines = Layer.succeed(DispatchPolicy, {
  leaseMarginMillis: 60_000,
  settleMillis: 120_000,
})

const engine = (setting: Setting = {}) => {
  const { fallback = {}, isOnWhatsApp = true, running = true, sms, store, whatsapp } = setting
  // Each has its own store and clock.
  return TestEngine.layer({
    running,
    store: Layer.sync(Store, () => store ?? MemoryStore.make()),
    gateway: {
      behave: ({ channel }) => (channel === "sms" ? sms : whatsapp) ?? deliver,
      isOnWhatsApp: () => isOnWhatsApp,
    },
  }).pipe(Layer.provide([prices, deadlines, Fallback.layer(fallback)]))
}

const viaWhatsApp = (organization: OrganizationId) => send(organization, { channel: "whatsapp" })

/** The log, oldest first, and what is left: `whatsapp rejected 0.00, sms delivered 0.50; 99.50 + 0.00`. */
const story = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { messages } = yield* Messages.use((_) => _.list({ organization }))
  const { balance, held } = yield* Accounts.use((_) => _.balance({ organization }))
  const lines = messages
    .toReversed()
    .map((one) => `${one.channel} ${one.status} ${Money.format(Message.price(one))}`)
  return `${lines.join(", ")}; ${Money.format(balance)} + ${Money.format(held)}`
})

const status = (organization: OrganizationId, requestId: string) =>
  Verifications.use((_) => _.status({ organization, requestId }))

/** What has happened, as it happens. */
const heard = Effect.gen(function* () {
  const events: Array<Event> = []
  yield* (yield* Events).stream.pipe(
    Stream.runForEach((event) => Effect.sync(() => events.push(event))),
    Effect.forkScoped({ startImmediately: true }),
  )
  return events
})

const report = (status: "delivered" | "undelivered") =>
  Effect.gen(function* () {
    const gateway = yield* SimulatedGateway
    const sent = (yield* gateway.journal()).find(({ channel }) => channel === "whatsapp")
    yield* gateway.report(sent?.id ?? "", status)
    // As far as everything comes without the clock.
    yield* TestClock.adjust(0)
  })

describe("Falling back on SMS", () => {
  testOn(TestEngine.layer({ gateway: { behave: () => refuse } }))(
    "is off by default",
    function* () {
      const { organization } = yield* TestEngine.open()
      const error = yield* Effect.flip(viaWhatsApp(organization))
      assert.strictEqual(error._tag, "SendingFailed")
    },
  )

  testOn(engine({ whatsapp: refuse }))(
    "sends an SMS with the same code after a refusal, and charges the SMS only",
    function* () {
      const { organization } = yield* TestEngine.open()
      const events = yield* heard
      const sent = yield* viaWhatsApp(organization)
      assert.strictEqual(sent.channel, "sms")
      assert.strictEqual(
        yield* story(organization),
        "whatsapp rejected 0.00, sms delivered 0.50; 99.50 + 0.00",
      )
      const gateway = yield* SimulatedGateway
      const codes = (yield* gateway.journal()).map(({ code }) => code)
      assert.deepStrictEqual(codes, [codes[0], codes[0]])
      assert.deepInclude(yield* status(organization, sent.requestId), {
        status: "pending",
        channel: "sms",
        attemptsRemaining: 3,
      })
      yield* TestClock.adjust(0)
      const summaries = events.map((event) =>
        event._tag === "VerificationSent" ? `${event._tag} by ${event.channel}` : event._tag,
      )
      assert.deepStrictEqual(summaries, [
        "MessageSettled",
        "Refunded",
        "MessageSettled",
        "VerificationSent by sms",
      ])
      yield* check(organization, sent.requestId, codes[0] ?? "")
    },
  )

  testOn(engine({ isOnWhatsApp: false }))(
    "starts with SMS if the gateway knows that the number is not on WhatsApp",
    function* () {
      const { organization } = yield* TestEngine.open()
      const sent = yield* viaWhatsApp(organization)
      assert.strictEqual(sent.channel, "sms")
      assert.strictEqual(yield* story(organization), "sms delivered 0.50; 99.50 + 0.00")
    },
  )

  testOn(engine({ whatsapp: accept }))(
    "sends an SMS as soon as a report says that the code has not arrived",
    function* () {
      const { organization } = yield* TestEngine.open()
      const sent = yield* viaWhatsApp(organization)
      assert.strictEqual(sent.channel, "whatsapp")
      assert.strictEqual(yield* story(organization), "whatsapp accepted 0.25; 99.75 + 0.25")
      yield* report("undelivered")
      assert.strictEqual(
        yield* story(organization),
        "whatsapp undelivered 0.00, sms delivered 0.50; 99.50 + 0.00",
      )
      assert.strictEqual((yield* status(organization, sent.requestId)).channel, "sms")
    },
  )

  testOn(engine({ whatsapp: accept }))(
    "sends an SMS if no report has come in time, and not before",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* viaWhatsApp(organization)
      yield* TestClock.adjust(29_999)
      assert.strictEqual(yield* story(organization), "whatsapp accepted 0.25; 99.75 + 0.25")
      yield* TestClock.adjust(1)
      assert.strictEqual(
        yield* story(organization),
        "whatsapp accepted 0.25, sms delivered 0.50; 99.25 + 0.25",
      )
      // Both were taken after all: both are paid for.
      yield* report("delivered")
      assert.strictEqual(
        yield* story(organization),
        "whatsapp delivered 0.25, sms delivered 0.50; 99.25 + 0.00",
      )
      yield* TestClock.adjust(120_000)
      assert.include(yield* story(organization), "99.25 + 0.00")
    },
  )

  testOn(engine({ whatsapp: accept }))(
    "sends no SMS if the code has arrived in time",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* viaWhatsApp(organization)
      yield* TestClock.adjust(29_999)
      yield* report("delivered")
      yield* TestClock.adjust(60_000)
      assert.strictEqual(yield* story(organization), "whatsapp delivered 0.25; 99.75 + 0.00")
    },
  )

  effectTest("sends no SMS after a delivery report that another node received", function* () {
    const store = MemoryStore.make()
    const here = yield* Layer.build(engine({ store, whatsapp: accept }))
    const there = yield* Layer.build(engine({ store, running: false }))
    const { organization } = yield* Effect.provide(TestEngine.open(), here)
    yield* Effect.provide(viaWhatsApp(organization), here)
    const delivered = {
      of: { _tag: "Message", organization, sequence: 1 },
      status: "delivered",
      detail: null,
    } as const
    yield* Effect.provide(
      Reports.use((_) => _.receive(delivered)),
      there,
    )
    yield* TestClock.adjust(60_000)
    assert.strictEqual(
      yield* Effect.provide(story(organization), here),
      "whatsapp delivered 0.25; 99.75 + 0.00",
    )
  })

  testOn(engine({ whatsapp: accept, fallback: { reportWithin: "10 minutes" } }))(
    "leaves half of a short expiry to the SMS",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization, { channel: "whatsapp", expiresIn: "1 minute" })
      yield* TestClock.adjust(29_999)
      assert.strictEqual(yield* story(organization), "whatsapp accepted 0.25; 99.75 + 0.25")
      yield* TestClock.adjust(1)
      assert.include(yield* story(organization), "sms delivered 0.50")
    },
  )

  effectTest("sends no SMS from a stopped node", function* () {
    const store = MemoryStore.make()
    const { organization } = yield* Effect.gen(function* () {
      const opened = yield* TestEngine.open()
      yield* viaWhatsApp(opened.organization)
      return opened
    }).pipe(Effect.provide(engine({ store, whatsapp: accept })))
    yield* TestClock.adjust(60_000)
    yield* story(organization).pipe(
      Effect.tap((summary) =>
        Effect.sync(() => assert.strictEqual(summary, "whatsapp accepted 0.25; 99.75 + 0.25")),
      ),
      Effect.provide(engine({ store })),
    )
  })

  testOn(engine({ whatsapp: refuse }))("counts the SMS by reason", function* () {
    const { organization } = yield* TestEngine.open()
    yield* viaWhatsApp(organization)
    const { count } = yield* Metric.value(
      Metric.withAttributes(Telemetry.fallbacks, { reason: "refused" }),
    )
    assert.isAtLeast(count, 1)
  })

  testOn(engine({ whatsapp: refuse }))("requires a sender for SMS", function* () {
    const { organization } = yield* TestEngine.open()
    const brands = yield* Senders
    yield* brands.save({
      organization,
      id: "line",
      kind: "non-masking",
      sender: "8809600000000",
      status: "rejected",
    })
    const error = yield* Effect.flip(viaWhatsApp(organization))
    assert.strictEqual(error._tag, "SendingFailed")
    assert.strictEqual(yield* story(organization), "whatsapp rejected 0.00; 100.00 + 0.00")
  })
})

describe("Starting on WhatsApp", () => {
  const first = engine({ fallback: { whatsappFirst: true } })

  testOn(first)("applies to requests without a channel", function* () {
    const { organization } = yield* TestEngine.open()
    assert.strictEqual((yield* send(organization)).channel, "whatsapp")
    assert.strictEqual((yield* send(organization, { channel: "sms" })).channel, "sms")
    // The sender of this request sends SMS only.
    assert.strictEqual((yield* send(organization, { sender: "line" })).channel, "sms")
  })

  testOn(engine())("is a separate option of the fallback", function* () {
    const { organization } = yield* TestEngine.open()
    assert.strictEqual((yield* send(organization)).channel, "sms")
  })
})

describe("Fallback.make", () => {
  it.each(["0 seconds", "999 milliseconds", "601 seconds", "soon", 30_000, Duration.infinity])(
    "rejects a wait of %s",
    (reportWithin) => {
      assert.throws(
        () => Fallback.make({ reportWithin: untyped(reportWithin) }),
        RangeError,
        "reportWithin must be",
      )
    },
  )

  it("accepts a duration of Effect as well", () => {
    const { reportWithinMillis } = Fallback.make({ reportWithin: Duration.minutes(1) })
    assert.strictEqual(reportWithinMillis, 60_000)
  })

  it("waits 30 seconds by default, for requests that ask for WhatsApp", () => {
    assert.deepStrictEqual(Fallback.make({}), { reportWithinMillis: 30_000, whatsappFirst: false })
  })
})
