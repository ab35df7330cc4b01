import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { type Capabilities, Gateway, type GatewayMessage } from "../../src/ports/Gateway.ts"
import { type GatewayOutcome, isUnsent } from "../../src/domain/messages/GatewayOutcome.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import * as Router from "../../src/routing/Router.ts"
import {
  make,
  message,
  outcomes,
  scripted,
  summaryOf,
  type Trouble,
  type Word,
} from "../support/routing.ts"
import { effectTest } from "../support/engineTest.ts"

/** A clock that runs on while the process stands still, so that no timer falls due. */
const stalling = Effect.map(Clock.Clock, (real) => {
  let stalled = 0n
  const clock = new Proxy(real, {
    get: (target, name): unknown =>
      name === "monotonicTimeNanosUnsafe"
        ? () => target.monotonicTimeNanosUnsafe() + stalled
        : Reflect.get(target, name),
  })
  const standStill = (time: Duration.Input) =>
    Effect.sync(() => {
      stalled += Duration.toNanosUnsafe(time)
    })
  return { clock, standStill }
})

describe("a message with two possible gateways", () => {
  const table: ReadonlyArray<readonly [Word | Trouble, attempts: string, ends: string]> = [
    ["taken", "a taken", "Accepted by a"],
    ["arrived", "a arrived", "Delivered by a"],
    ["unknown", "a unknown", "Unknown"],
    ["silence", "a silence", "Unknown"],
    ["bug", "a bug", "Unknown"],
    ["garbage", "a garbage", "Unknown"],
    ["recipient", "a recipient", "Rejected"],
    ["content", "a content", "Rejected"],
    ["sender", "a sender, b taken", "Accepted by b"],
    ["account", "a account, b taken", "Accepted by b"],
    ["throttled", "a throttled, b taken", "Accepted by b"],
    ["unsent", "a unsent, b taken", "Accepted by b"],
  ]
  effectTest.each(table)("%s: %s → %s", function* ([word, attempts, ends]) {
    const { log, send } = yield* make({ a: [word], b: ["taken"] })
    assert.strictEqual(summaryOf(yield* send()), ends)
    assert.strictEqual(log.join(", "), attempts)
  })

  effectTest("is offered to every gateway once, even if the first one answers late", function* () {
    const slowly = {
      send: () => Effect.delay(Effect.succeed<GatewayOutcome>(outcomes.unsent), "900 millis"),
    }
    const first = yield* scripted("a", [], [], {}, slowly)
    const second = yield* scripted("b", ["taken"], [])
    const members = [{ gateway: first }, { gateway: second }] as const
    const layer = Router.layer({ members, retryFor: "500 milliseconds" })
    const context = yield* Layer.build(Layer.provide(layer, TestCrypto.layer()))
    const fiber = yield* Effect.forkChild(Context.get(context, Gateway).send(message()))
    yield* TestClock.adjust(900)
    assert.strictEqual(summaryOf(yield* Fiber.join(fiber)), "Accepted by b")
  })

  effectTest("is retried after a delay, within its budget", function* () {
    const script = { a: ["unsent", "throttled", "taken"] } as const
    const { log, send } = yield* make(script)
    assert.strictEqual(summaryOf(yield* send()), "Accepted by a")
    assert.strictEqual(log.length, 3)
  })

  effectTest("ends before its dispatch times out", function* () {
    const { gateway } = yield* make({ a: ["throttled"] }, { retryFor: "3 seconds" })
    const fiber = yield* Effect.forkChild(gateway.send(message()))
    yield* TestClock.adjust(3_000)
    assert.isDefined(fiber.pollUnsafe())
    assert.isAbove(gateway.capabilities.timeoutMillis, 4_000)
  })

  effectTest("is not sent if no route matches", function* () {
    const routes = [{ gateway: "a", channels: ["whatsapp"] }] as const
    const { log, sendNow } = yield* make({ a: ["taken"] }, { routes })
    assert.deepStrictEqual(yield* sendNow(), {
      _tag: "NotSent",
      reason: "no_gateway",
      message: "No gateway carries such a message",
      attempts: [],
    })
    assert.deepStrictEqual(log, [])
  })

  it.effect(
    "law: at most one gateway accepts it, and it moves on only while nothing was sent",
    () =>
      Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.array(FastCheck.constantFrom(...(["a", "b", "c"] as const)), {
              minLength: 1,
            }),
            FastCheck.array(
              FastCheck.constantFrom<Word | Trouble>(
                ...(["taken", "arrived", "unknown", "recipient", "content", "sender"] as const),
                ...(["account", "throttled", "unsent", "silence", "bug", "garbage"] as const),
              ),
              { minLength: 1, maxLength: 12 },
            ),
            (names, words) =>
              Effect.gen(function* () {
                const scripts = Object.fromEntries(
                  [...new Set(names)].map((name, index) => [
                    name,
                    words.slice(index % words.length),
                  ]),
                )
                const { log, send } = yield* make(scripts, { retryFor: "2 seconds" })
                const outcome = yield* send()
                const last = log.at(-1)?.split(" ")[1]
                for (const line of log.slice(0, -1)) {
                  const [, word = ""] = line.split(" ")
                  assert.include(["sender", "account", "throttled", "unsent"], word)
                }
                if (!isUnsent(outcome)) {
                  assert.include(["taken", "arrived", "unknown", "silence", "bug", "garbage"], last)
                }
              }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise),
          ),
          { numRuns: 150 },
        ),
      ),
  )
})

effectTest("a message is not sent after a standstill of its node", function* () {
  const { clock, standStill } = yield* stalling
  const log: Array<string> = []
  // The node of the message stops while the first gateway refuses it.
  const first = yield* scripted(
    "a",
    [],
    log,
    {},
    {
      send: () => Effect.as(standStill("40 seconds"), outcomes.unsent),
    },
  )
  const second = yield* scripted("b", ["taken"], log)
  const layer = Router.layer({ members: [{ gateway: first }, { gateway: second }] })
  const router = Context.get(yield* Layer.build(Layer.provide(layer, TestCrypto.layer())), Gateway)
  const outcome = yield* Effect.provideService(router.send(message()), Clock.Clock, clock)
  assert.strictEqual(outcome._tag, "NotSent")
  assert.deepStrictEqual(log, [])
})

describe("a gateway that fails", () => {
  it.effect(
    "is paused after five failures in a row, and probed with one message after a delay",
    () =>
      Effect.gen(function* () {
        const script = {
          a: ["unknown", "unknown", "unknown", "unknown", "unknown", "taken"],
        } as const
        const { log, router, sendNow } = yield* make({ ...script, b: ["taken"] })
        for (let index = 0; index < 5; index++) yield* sendNow()
        assert.deepStrictEqual(yield* router.health, [
          { gateway: "a", state: "failing", reason: "?" },
          { gateway: "b", state: "available" },
        ])
        assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by b")
        assert.strictEqual(log.filter((line) => line.startsWith("a")).length, 5)
        yield* TestClock.adjust("6 seconds")
        assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
        assert.deepStrictEqual((yield* router.health)[0], { gateway: "a", state: "available" })
      }).pipe(Effect.scoped),
  )

  effectTest("is not paused if a message is accepted among its failures", function* () {
    const four = ["unknown", "unknown", "unknown", "unknown"] as const
    const { log, sendNow } = yield* make({ a: [...four, "taken", ...four, "taken"], b: ["taken"] })
    yield* Effect.replicateEffect(sendNow(), 10)
    assert.isTrue(log.every((line) => line.startsWith("a")))
  })

  effectTest("learns nothing from failures that began before its pause", function* () {
    const slowly = {
      send: ({ phoneNumber }: GatewayMessage) =>
        Effect.delay(
          Effect.succeed<GatewayOutcome>(outcomes.unknown),
          phoneNumber === message().phoneNumber ? "6 seconds" : "1 seconds",
        ),
    }
    const first = yield* scripted("a", [], [], { timeoutMillis: 10_000 }, slowly)
    const layer = Router.layer({ members: [{ gateway: first }] })
    const router = Context.get(
      yield* Layer.build(Layer.provide(layer, TestCrypto.layer())),
      Gateway,
    )
    const other = { ...message(), phoneNumber: PhoneNumber.fromE164("+8801555000199") }
    for (const one of [message(), other, other, other, other, other]) {
      yield* Effect.forkChild(router.send(one), { startImmediately: true })
    }
    const health = Effect.map(router.states ?? Effect.succeed([]), ([state]) => state?.state)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* health, "failing")
    // The pause of five seconds is over when the slow message fails.
    yield* TestClock.adjust("5 seconds")
    yield* Effect.forkChild(router.send(other), { startImmediately: true })
    assert.strictEqual(yield* health, "trying")
  })

  effectTest("is paused at once if it refuses the account", function* () {
    const { log, router, sendNow } = yield* make({ a: ["account", "taken"], b: ["taken"] })
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by b")
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by b")
    assert.deepStrictEqual(log, ["a account", "b taken", "b taken"])
    const reason = "no money"
    assert.deepStrictEqual((yield* router.health)[0], { gateway: "a", state: "barred", reason })
    yield* TestClock.adjust("6 minutes")
    assert.strictEqual(summaryOf(yield* sendNow()), "Accepted by a")
  })

  effectTest("gets no message while all gateways are paused: sending fails at once", function* () {
    const { sendNow } = yield* make({ a: ["account"] })
    yield* sendNow()
    assert.deepStrictEqual(yield* sendNow(), {
      _tag: "NotSent",
      gateway: "a",
      message: "All gateways are paused",
      attempts: [],
    })
  })

  effectTest("reports the reason, without numbers and secrets", function* () {
    const words = "account of +8801712345678 is closed, Bearer abc.def"
    const refused = { _tag: "Rejected", reason: "account", message: words } as const
    const more = { send: () => Effect.succeed<GatewayOutcome>(refused) }
    const { router, sendNow } = yield* make({ a: ["taken"] }, { more })
    yield* sendNow()
    assert.strictEqual(
      (yield* router.health)[0]?.reason,
      "account of +8801*****678 is closed, Bearer ***",
    )
  })

  effectTest("raises an event", function* () {
    const { router, sendNow } = yield* make({ a: ["account"], b: ["taken"] })
    const heard = yield* router.changes.pipe(
      Stream.take(1),
      Stream.runCollect,
      Effect.forkChild({ startImmediately: true }),
    )
    // Until it listens.
    yield* Effect.replicateEffect(Effect.yieldNow, 50)
    yield* sendNow()
    const reason = "no money"
    assert.deepStrictEqual(
      [...(yield* Fiber.join(heard))],
      [{ gateway: "a", state: "barred", reason }],
    )
  })
})

describe("the state of the router", () => {
  const whatsapp = message({ channel: "whatsapp" })
  const { phoneNumber } = whatsapp

  effectTest("marks a number that is not on WhatsApp for a day", function* () {
    const { gateway, sendNow } = yield* make({ a: ["absent"] })
    assert.strictEqual(yield* gateway.isReachable("whatsapp", phoneNumber), "unknown")
    yield* sendNow(message())
    assert.strictEqual(yield* gateway.isReachable("whatsapp", phoneNumber), "unknown")
    yield* sendNow(whatsapp)
    assert.strictEqual(yield* gateway.isReachable("whatsapp", phoneNumber), "no")
    assert.strictEqual(yield* gateway.isReachable("sms", phoneNumber), "unknown")
    yield* TestClock.adjust("24 hours")
    assert.strictEqual(yield* gateway.isReachable("whatsapp", phoneNumber), "unknown")
  })

  effectTest("does not mark a number that was refused for another reason", function* () {
    const { gateway, sendNow } = yield* make({ a: ["recipient"] })
    yield* sendNow(whatsapp)
    assert.strictEqual(yield* gateway.isReachable("whatsapp", phoneNumber), "unknown")
  })

  effectTest("adds the gateway's name to a report without one", function* () {
    const reported = { of: { _tag: "Message", ...whatsapp.ref }, status: "failed" } as const
    const said = [
      { ...reported, detail: null },
      { ...reported, detail: null, gateway: "b" },
    ]
    const more = { reports: Stream.fromIterable<DeliveryReport>(said) }
    const { gateway } = yield* make({ a: ["taken"] }, { more })
    const heard = yield* Stream.runCollect(gateway.reports)
    assert.deepStrictEqual(
      [...heard].map((report) => report.gateway),
      ["a", "b"],
    )
  })

  effectTest("keeps an outcome unknown if no gateway was asked", function* () {
    const { gateway } = yield* make(
      { a: ["taken"] },
      {
        capabilities: { lookup: true },
        routes: [{ gateway: "a", channels: ["whatsapp"] }],
      },
    )
    const found = yield* gateway.lookup({ ...message(), taken: null })
    assert.strictEqual(found._tag, "Unknown")
  })

  effectTest(
    "treats a message as delivered if its gateway accepts it and never reports",
    function* () {
      const { gateway, sendNow } = yield* make(
        { a: ["taken"] },
        { capabilities: { reports: "none" } },
      )
      assert.strictEqual(gateway.capabilities.reports, "none")
      assert.strictEqual(summaryOf(yield* sendNow()), "Delivered by a")
    },
  )

  effectTest("states how long the ids of the accepting gateway stay unique", function* () {
    const idOf = (capabilities: Partial<Capabilities>) =>
      Effect.map(
        Effect.flatMap(make({ a: ["taken"] }, { capabilities }), ({ sendNow }) => sendNow()),
        (outcome) => "gatewayId" in outcome && outcome.idMillis,
      )
    assert.strictEqual(yield* idOf({ idMillis: 60_000 }), 60_000)
    assert.isUndefined(yield* idOf({}))
    const { gateway, sendNow } = yield* make(
      { a: ["unsent"], b: ["taken"] },
      { capabilities: { idMillis: 60_000 } },
    )
    assert.deepInclude(yield* sendNow(), { gateway: "b", idMillis: 60_000 })
    // Of its own it has none.
    assert.isUndefined(gateway.capabilities.idMillis)
  })

  effectTest(
    "says of each outcome whether the gateway that accepted it can recover it",
    function* () {
      const log: Array<string> = []
      const tokens = { tokenMillis: Infinity }
      const accepted = Effect.fnUntraced(function* (
        ...all: ReadonlyArray<readonly [word: "taken" | "unsent", Partial<Capabilities>]>
      ) {
        const [first, ...others] = yield* Effect.forEach(all, ([word, capabilities], index) =>
          Effect.map(scripted(`g${index}`, [word], log, capabilities), (gateway) => ({ gateway })),
        )
        const layer = Router.layer({ members: [first ?? assert.fail(), ...others] })
        const built = yield* Layer.build(Layer.provide(layer, TestCrypto.layer()))
        return yield* Context.get(built, Gateway).send(message())
      })
      const recovered = { isRecoverable: true }
      const lost = { isRecoverable: false }
      assert.deepInclude(yield* accepted(["taken", { references: true }], ["taken", {}]), recovered)
      assert.deepInclude(yield* accepted(["unsent", { references: true }], ["taken", {}]), lost)
      assert.deepInclude(yield* accepted(["taken", { reports: "none", references: true }]), lost)
      // A repeat may go to another gateway.
      assert.deepInclude(yield* accepted(["taken", tokens]), recovered)
      assert.deepInclude(yield* accepted(["taken", tokens], ["taken", tokens]), lost)
    },
  )

  effectTest("promises idempotent tokens only with a single gateway", function* () {
    const capabilities = { tokenMillis: 60_000 }
    const one = yield* make({ a: ["taken"] }, { capabilities })
    assert.strictEqual(one.gateway.capabilities.tokenMillis, 60_000)
    const two = yield* make({ a: ["taken"], b: ["taken"] }, { capabilities })
    assert.strictEqual(two.gateway.capabilities.tokenMillis, 0)
  })
})
