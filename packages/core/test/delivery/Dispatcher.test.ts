import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Commits from "../../src/engine/Commits.ts"
import * as Dispatcher from "../../src/delivery/Dispatcher.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Events from "../../src/engine/Events.ts"
import type { Gateway } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"
import { gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { message as gatewayMessage } from "../support/routing.ts"
import { untyped } from "../support/untyped.ts"
import { logged } from "../../../../test/support/observed.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId

/** As hosts in JavaScript have answered. */
const unreadableAnswers: ReadonlyArray<unknown> = [
  undefined,
  "accepted",
  { status: "accepted", gatewayId: "gw-1" },
  { _tag: "Sent", gatewayId: "gw-1" },
  { _tag: "Accepted", gatewayId: 4711 },
  { _tag: "Accepted" },
  { _tag: "Rejected", reason: "blocked", message: "no" },
  { _tag: "NotSent" },
]

const message = gatewayMessage({ token: Samples.messageId() })
const first = { dispatchNumber: 1, requestId: null }

const layer = (
  gateway: Parameters<typeof gatewayLayer>[0],
  store: Layer.Layer<Store> = Layer.fresh(MemoryStore.layer),
) =>
  Dispatcher.layer.pipe(
    Layer.provideMerge(Commits.layer),
    Layer.provideMerge(Events.layer),
    Layer.provideMerge(Layer.mergeAll(store, gatewayLayer(gateway))),
  )

const sending = (send: Gateway["Service"]["send"]) => layer({ send })

/** A message that is paid for, and not dispatched yet. */
const held = Effect.gen(function* () {
  const store = yield* Store
  yield* store.createOrganization(Samples.organization())
  yield* store.execute(Samples.topUp())
  yield* store.execute(Samples.holdMessage())
})

const dispatch = Effect.flatMap(Clock.monotonicTimeNanos, (claimedAt) =>
  Dispatcher.Dispatcher.use((_) => _.dispatch(message, { ...first, claimedAt })),
)

const attempt = {
  gateway: "scripted",
  millis: 0,
  failure: "unknown",
  vendorCode: undefined,
} as const

describe("Dispatcher.dispatch", () => {
  testOn(layer({}))("sends the message and records the outcome", function* () {
    yield* held
    const { outcome, settled } = yield* dispatch
    const attempts = [{ gateway: "scripted", millis: 0 }]
    const gatewayId = `gw-${message.token}`
    assert.deepStrictEqual(outcome, { _tag: "Delivered", gatewayId, attempts })
    assert.deepInclude(settled, { status: "delivered", balance: Samples.money("9.5") })
    assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
  })

  it.effect.each([
    ["the gateway", { idMillis: 60_000 }, {}, 60_000],
    ["the outcome, which wins", { idMillis: 1 }, { idMillis: 60_000 }, 60_000],
    ["neither, so permanently", {}, {}, Infinity],
  ] as const)(
    "finds a final message by its id while the id is unique, as set by %s",
    ([, capabilities, taken, unique]) =>
      Effect.gen(function* () {
        const store = yield* Store
        yield* held
        yield* dispatch
        yield* store.execute(Samples.applyReport())
        const found = Effect.map(store.locate("simulated", "gw-1"), (ref) => ref !== undefined)
        yield* TestClock.adjust(59_999)
        assert.isTrue(yield* found)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* found, unique === Infinity)
      }).pipe(
        Effect.provide(
          layer({
            capabilities,
            send: () => Effect.succeed({ _tag: "Accepted", gatewayId: "gw-1", ...taken }),
          }),
        ),
      ),
  )

  testOn(sending(() => Effect.never))(
    "treats silence as an unknown outcome at the time-out, and not before",
    function* () {
      yield* held
      const fiber = yield* Effect.forkChild(dispatch)
      yield* TestClock.adjust(9_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const { outcome } = yield* Fiber.join(fiber)
      assert.strictEqual(outcome._tag, "Unknown")
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 1"])
    },
  )

  it.effect.each([
    ["dies", Effect.die(new Error("the text was 123456"))],
    [
      "throws",
      Effect.sync((): GatewayOutcome => {
        throw new Error("the text was 123456")
      }),
    ],
    ["is interrupted", Effect.interrupt],
  ] as const)(
    "treats an adapter that %s as an unknown outcome, and does not repeat its words",
    ([, answer]) =>
      Effect.gen(function* () {
        yield* held
        const { outcome } = yield* dispatch
        const failed = { _tag: "Unknown", message: "The gateway adapter failed" } as const
        assert.deepStrictEqual(outcome, { ...failed, gateway: "scripted", attempts: [attempt] })
        assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 1"])
      }).pipe(Effect.provide(sending(() => answer))),
  )

  effectTest("settles even if its caller is interrupted before the gateway answers", function* () {
    const answered = yield* Deferred.make<GatewayOutcome>()
    yield* Effect.gen(function* () {
      yield* held
      const fiber = yield* Effect.forkChild(dispatch)
      yield* Effect.replicateEffect(Effect.yieldNow, 10)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* Effect.replicateEffect(Effect.yieldNow, 10)
      yield* Deferred.succeed(answered, { _tag: "Delivered", gatewayId: "gw-1" })
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(Effect.provide(sending(() => Deferred.await(answered))))
  })

  testOn(layer({}))("is fenced if another node has taken the dispatch over", function* () {
    yield* held
    const store = yield* Store
    yield* TestClock.adjust(70_000)
    yield* store.execute(Samples.reclaimMessage())
    const { outcome, settled } = yield* dispatch
    assert.strictEqual(outcome._tag, "Unknown")
    assert.isUndefined(settled)
    assert.deepStrictEqual(yield* logOf(organization), ["pending, open, 2"])
    assert.strictEqual(yield* moneyOf(organization), "9.50 + 0.50 held, 2 entries")
  })

  testOn(layer({}, unreliable(4)))(
    "retries while the store is unavailable, and writes the outcome once",
    function* () {
      yield* held
      const fiber = yield* Effect.forkChild(dispatch)
      yield* TestClock.adjust(60_000)
      assert.isDefined((yield* Fiber.join(fiber)).settled)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
      assert.strictEqual(yield* moneyOf(organization), "9.50 + 0.00 held, 3 entries")
    },
  )

  testOn(layer({}, unreliable(Infinity)))(
    "gives up within its lease if the store stays unavailable, and leaves the outcome to settlement",
    function* () {
      yield* held
      const fiber = yield* Effect.forkChild(dispatch)
      const { terms } = yield* Dispatcher.Dispatcher
      yield* TestClock.adjust(terms.leaseMillis)
      const { outcome, settled } = yield* Fiber.join(fiber)
      assert.strictEqual(outcome._tag, "Unknown")
      assert.isUndefined(settled)
      assert.deepStrictEqual(yield* logOf(organization), ["pending, open, 1"])
    },
  )

  testOn(layer({}))("has a lease that is longer than the gateway's time-out", function* () {
    const { terms } = yield* Dispatcher.Dispatcher
    assert.deepStrictEqual(terms, {
      gateway: "scripted",
      leaseMillis: 70_000,
      settleMillis: 86_400_000,
    })
  })

  it.effect.each([
    ["a deadline", { leaseMarginMillis: 60_000, settleMillis: 1_000 }],
    ["a margin", { leaseMarginMillis: 0, settleMillis: 86_400_000 }],
  ] as const)("leaves its node five seconds to send, even if %s is short", ([, policy]) =>
    Effect.gen(function* () {
      const { terms } = yield* Dispatcher.Dispatcher
      assert.deepInclude(terms, { leaseMillis: 15_000, settleMillis: policy.settleMillis })
    }).pipe(Effect.provide(layer({})), Effect.provideService(Dispatcher.DispatchPolicy, policy)),
  )
})

/** A store that cannot settle the first so many times. */
const unreliable = (failures: number): Layer.Layer<Store> =>
  Layer.sync(Store, () => {
    const store = MemoryStore.make()
    let left = failures
    return Store.of({
      ...store,
      execute: (command) =>
        Effect.suspend(() =>
          command._tag === "RecordDispatch" && left-- > 0
            ? Effect.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 }))
            : store.execute(command),
        ),
    })
  })

const couldNotBeRead = { _tag: "Unknown", message: "The gateway's answer could not be read" }

describe("A look-up that is interrupted", () => {
  const { layer: logger, lines } = logged()

  testOn(Layer.merge(layer({ lookup: () => Effect.never }), logger))(
    "ends without a line in the log",
    function* () {
      const dispatcher = yield* Dispatcher.Dispatcher
      const lookup = dispatcher.lookup({ ...message, taken: null })
      const fiber = yield* Effect.forkChild(lookup, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(lines, [])
    },
  )
})

describe("An unreadable answer of the gateway", () => {
  it.effect.each(unreadableAnswers)("is an unknown outcome of a dispatch: %j", (answer) =>
    Effect.gen(function* () {
      yield* held
      const { outcome, settled } = yield* dispatch
      const expected = { ...couldNotBeRead, gateway: "scripted", attempts: [attempt] }
      assert.deepStrictEqual<unknown>(outcome, expected)
      assert.deepInclude(settled, { status: "unknown" })
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 1"])
      assert.strictEqual(yield* moneyOf(organization), "9.50 + 0.50 held, 2 entries")
    }).pipe(Effect.provide(sending(() => Effect.succeed(untyped(answer))))),
  )

  it.effect.each([...unreadableAnswers, { _tag: "Reported", status: "sent", detail: null }])(
    "is an unknown outcome of a look-up: %j",
    (answer) =>
      Effect.gen(function* () {
        const found = yield* Dispatcher.Dispatcher.use((_) => _.lookup({ ...message, taken: null }))
        assert.deepStrictEqual<unknown>(found, couldNotBeRead)
      }).pipe(Effect.provide(layer({ lookup: () => Effect.succeed(untyped(answer)) }))),
  )

  it.effect.each([undefined, true, "maybe"])("leaves reachability unknown: %j", (answer) =>
    Effect.gen(function* () {
      const reachable = yield* Dispatcher.Dispatcher.use((_) =>
        _.isReachable("whatsapp", Samples.phoneNumber()),
      )
      assert.strictEqual(reachable, "unknown")
    }).pipe(Effect.provide(layer({ isReachable: () => Effect.succeed(untyped(answer)) }))),
  )
})

describe("Dispatcher.isReachable", () => {
  const ask = Dispatcher.Dispatcher.use((_) => _.isReachable("whatsapp", Samples.phoneNumber()))

  testOn(layer({ isReachable: () => Effect.succeed("no") }))("asks the gateway", function* () {
    assert.strictEqual(yield* ask, "no")
  })

  testOn(layer({ isReachable: () => Effect.die("no line") }))(
    "is unknown if the gateway fails",
    function* () {
      assert.strictEqual(yield* ask, "unknown")
    },
  )

  testOn(layer({ isReachable: () => Effect.never }))(
    "is unknown if the gateway does not answer in time",
    function* () {
      const fiber = yield* Effect.forkChild(ask)
      yield* TestClock.adjust(10_000)
      assert.strictEqual(yield* Fiber.join(fiber), "unknown")
    },
  )
})
