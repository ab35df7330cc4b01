/** A message without a report at its deadline is looked up once, if the gateway supports it. */
import type { Reported } from "../../src/domain/messages/DeliveryReport.ts"
import * as Invariants from "@countersign/testing/Invariants"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { DispatchPolicy } from "../../src/delivery/Dispatcher.ts"
import * as Engine from "../../src/Engine.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import type { LookupRequest } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Settlement from "../../src/jobs/Settlement.ts"
import { Store } from "../../src/ports/Store.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { versionOf } from "../support/versions.ts"
import { testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId
const deadline = 86_400_000
const settlement = Settlement.Settlement
const round = settlement.use((_) => _.round)
const lookup = settlement.use((_) => _.lookup)

const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
)

/** A gateway that accepts every message and reports only on a look-up. */
const silent = (
  answer: Effect.Effect<GatewayOutcome | Reported>,
  lookups: Array<LookupRequest["taken"]> = [],
) =>
  gatewayLayer({
    capabilities: { lookup: true, reports: "polled" },
    send: ({ ref }) => Effect.succeed({ _tag: "Accepted", gatewayId: `gw-${ref.sequence}` }),
    lookup: ({ taken }) =>
      Effect.andThen(
        Effect.sync(() => lookups.push(taken)),
        answer,
      ),
  })

const reported = (status: Reported["status"]): Reported => ({
  _tag: "Reported",
  status,
  detail: `said ${status}`,
})

const open = Effect.andThen(TestEngine.open(), send)

describe("a message that is open at its deadline", () => {
  const table: ReadonlyArray<
    readonly [string, GatewayOutcome | Reported, log: string, money: string]
  > = [
    ["arrived, by a report", reported("delivered"), "delivered, captured", "99.50"],
    ["arrived", { _tag: "Delivered", gatewayId: "gw-1" }, "delivered, captured", "99.50"],
    ["did not arrive", reported("undelivered"), "undelivered, released", "100.00"],
    [
      "was refused",
      { _tag: "Rejected", reason: "recipient", message: "barred" },
      "rejected, released",
      "100.00",
    ],
    ["was never sent", { _tag: "NotSent", message: "no" }, "failed, released", "100.00"],
    ["is on its way", reported("accepted"), "unknown, released", "100.00"],
    ["was taken", { _tag: "Accepted", gatewayId: "gw-1" }, "unknown, released", "100.00"],
    ["cannot be told of", { _tag: "Unknown", message: "?" }, "unknown, released", "100.00"],
  ]
  it.effect.each(table)("that %s → %j: %s, %s", ([, answer, log, balance]) => {
    const lookups: Array<LookupRequest["taken"]> = []
    return Effect.gen(function* () {
      yield* open
      yield* TestClock.adjust(deadline - 1)
      assert.strictEqual(yield* round, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* round, 1)
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
      assert.strictEqual(yield* lookup, 1)
      assert.deepStrictEqual(lookups, [{ gateway: "scripted", gatewayId: "gw-1" }])
      assert.deepStrictEqual(yield* logOf(organization), [`${log}, 1`])
      assert.strictEqual(yield* moneyOf(organization), `${balance} + 0.00 held, 3 entries`)
      yield* TestClock.adjust(deadline)
      assert.strictEqual(yield* round, 0)
      assert.strictEqual(yield* lookup, 0)
      assert.strictEqual(lookups.length, 1)
    }).pipe(Effect.provide(engineOver(silent(Effect.succeed(answer), lookups))))
  })

  it.effect.each([
    ["never answers", Effect.never],
    ["fails", Effect.die(new Error("a bug in the adapter"))],
  ] as const)("is closed when its gateway %s", ([, answer]) =>
    Effect.gen(function* () {
      yield* open
      yield* TestClock.adjust(deadline)
      yield* round
      const fiber = yield* Effect.forkChild(lookup)
      yield* TestClock.adjust(10_000)
      assert.strictEqual(yield* Fiber.join(fiber), 1)
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, released, 1"])
    }).pipe(Effect.provide(engineOver(silent(answer)))),
  )

  testOn(engineOver(silent(Effect.die("asked too late"))))(
    "is closed by any other node if the asking node is gone",
    function* () {
      yield* open
      yield* TestClock.adjust(deadline)
      yield* round
      yield* TestClock.adjust(Settlement.lookupMillis - 1)
      assert.strictEqual(yield* round, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* round, 1)
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, released, 1"])
      // A node that comes back asks no gateway and changes nothing.
      yield* lookup
      assert.strictEqual(yield* moneyOf(organization), "100.00 + 0.00 held, 3 entries")
    },
  )

  it.effect.each([
    [10_000, 1],
    [9_999, 0],
  ] as const)(
    "is looked up only if the answer comes before it is closed: %i ms, %i",
    ([millis, times]) => {
      const lookups: Array<LookupRequest["taken"]> = []
      return Effect.gen(function* () {
        yield* open
        yield* TestClock.adjust(deadline)
        yield* round
        yield* TestClock.adjust(Settlement.lookupMillis - millis)
        assert.strictEqual(yield* lookup, 1)
        assert.lengthOf(lookups, times)
      }).pipe(Effect.provide(engineOver(silent(Effect.succeed(reported("delivered")), lookups))))
    },
  )

  testOn(engineOver(silent(Effect.die("nothing of its own"))))(
    "is closed at once if another gateway has accepted it",
    function* () {
      yield* TestEngine.open()
      const store = yield* Store
      const version = yield* versionOf(organization)
      const draft = Samples.newMessage({ gateway: "one before" })
      yield* store.execute(Samples.holdMessage({ version, draft }))
      yield* store.execute(Samples.recordDispatch())
      yield* TestClock.adjust(deadline)
      yield* round
      assert.strictEqual(yield* lookup, 0)
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, released, 1"])
    },
  )

  it.effect("keeps its answer if the store is unavailable for a moment", () => {
    let isAway = false
    const store = Layer.sync(Store, () => {
      const memory = MemoryStore.make()
      return Store.of({
        ...memory,
        execute: (command) =>
          isAway
            ? Effect.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 }))
            : memory.execute(command),
      })
    })
    return Effect.gen(function* () {
      yield* open
      yield* TestClock.adjust(deadline)
      yield* round
      isAway = true
      const fiber = yield* Effect.forkChild(lookup)
      yield* TestClock.adjust(300)
      isAway = false
      yield* TestClock.adjust(10_000)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(
      Effect.provide(
        engineOver(silent(Effect.succeed(reported("delivered"))), Engine.layer, store),
      ),
    )
  })
})

describe("many messages that are open at their deadline", () => {
  const count = 40

  it.effect("are looked up once by all nodes, and paid for once", () => {
    const lookups: Array<LookupRequest["taken"]> = []
    const gateway = silent(Effect.succeed(reported("delivered")), lookups)
    return Effect.gen(function* () {
      const store = Layer.succeed(Store, MemoryStore.make())
      const node = () => Layer.build(Layer.fresh(engineOver(gateway, Engine.layer, store)))
      const nodes = [yield* node(), yield* node()] as const
      const everywhere = (effect: typeof round) =>
        Effect.forEach(nodes, (one) => Effect.provide(effect, one), { concurrency: "unbounded" })
      yield* Effect.gen(function* () {
        yield* TestEngine.open()
        yield* Effect.replicateEffect(send, count)
        yield* TestClock.adjust(deadline)
        yield* everywhere(round)
        yield* everywhere(lookup)
        assert.strictEqual(lookups.length, count)
        assert.strictEqual(new Set(lookups.map((taken) => taken?.gatewayId)).size, count)
        const expected = Array.from({ length: count }, () => "delivered, captured, 1")
        assert.deepStrictEqual(yield* logOf(organization), expected)
        const snapshot = yield* Invariants.read(yield* Store, organization)
        assert.deepStrictEqual(snapshot && Invariants.problems(snapshot), [])
      }).pipe(Effect.provide(nodes[0]))
    })
  })

  it.effect("delay no round, even if their gateway is slow, and are closed in the end", () => {
    const lookups: Array<LookupRequest["taken"]> = []
    const soon = 60_000
    return Effect.gen(function* () {
      yield* TestEngine.open()
      yield* Effect.replicateEffect(send, count)
      yield* TestClock.adjust(soon)
      yield* Effect.replicateEffect(Effect.yieldNow, 1_000)
      assert.strictEqual(lookups.length, Settlement.lookupWorkers)
      // The node of this one has died; the rounds that take it over go on.
      const store = yield* Store
      const version = yield* versionOf(organization)
      const draft = Samples.newMessage({ leaseMillis: 1 })
      yield* store.execute(Samples.holdMessage({ version, draft }))
      yield* TestClock.adjust(1_000)
      yield* Effect.replicateEffect(Effect.yieldNow, 1_000)
      assert.include(yield* logOf(organization), "unknown, open, 2")
      for (let second = 0; second < 700; second += 10) yield* TestClock.adjust(10_000)
      assert.strictEqual(lookups.length, count)
      const log = yield* logOf(organization)
      assert.strictEqual(log.filter((line) => line === "unknown, released, 1").length, count)
    }).pipe(
      Effect.provide(engineOver(silent(Effect.never, lookups), Engine.layerRunning)),
      Effect.provideService(DispatchPolicy, { leaseMarginMillis: 60_000, settleMillis: soon }),
    )
  })
})
