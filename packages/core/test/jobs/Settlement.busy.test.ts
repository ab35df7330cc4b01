/** An organization whose lock is held delays its own messages and reports, and those of no other. */
import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DispatchPolicy } from "../../src/delivery/Dispatcher.ts"
import * as Engine from "../../src/Engine.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Settlement from "../../src/jobs/Settlement.ts"
import { Store } from "../../src/ports/Store.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { lockable, lockTimeout } from "../support/lockable.ts"
import { logOf } from "../support/log.ts"
import { testWith } from "../support/engineTest.ts"

const busy = OrganizationId("busy")
const other = OrganizationId("other")
const deadline = 86_400_000
const round = Settlement.Settlement.use((_) => _.round)
const lookup = Settlement.Settlement.use((_) => _.lookup)

const opened = Effect.andThen(TestEngine.open({ id: busy }), TestEngine.open({ id: other }))

const send = (organization: OrganizationId, count = 1) =>
  Messages.use((_) =>
    Effect.replicateEffect(
      _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
      count,
    ),
  )

const turns = Effect.replicateEffect(Effect.yieldNow, 100)

/** A gateway that reports on nothing. */
const silent = (store: Store["Service"], batch = 200) =>
  TestEngine.layer({
    store: Layer.succeed(Store, store),
    gateway: { behave: () => ({ _tag: "NeverReport" }) },
  }).pipe(
    Layer.provide(Layer.succeed(Settlement.SettlementPolicy, { intervalMillis: 1_000, batch })),
  )

const locking = (batch?: number) => {
  const lock = lockable()
  return { ...lock, layer: silent(lock.store, batch) }
}

const released = "unknown, released, 1"
const open = "accepted, open, 1"
const delivered = "delivered, captured, 1"

describe("Settlement.round, while the lock of an organization is held", () => {
  it.effect.each([1, 8, 40])("refunds others at once, with %d of its messages due", (count) => {
    const { locked, refused, store } = lockable()
    return Effect.gen(function* () {
      yield* opened
      yield* send(busy, count)
      yield* send(other, 3)
      yield* TestClock.adjust(deadline)
      locked.add(busy)
      const fiber = yield* Effect.forkChild(round)
      yield* turns
      assert.deepStrictEqual(yield* logOf(other), [released, released, released])
      yield* TestClock.adjust(lockTimeout)
      assert.strictEqual(yield* Fiber.join(fiber), count + 3)
      assert.deepStrictEqual(refused, ["CloseMessage"])
      // It is left alone, and then it has its turn.
      locked.delete(busy)
      yield* TestClock.adjust(4_999)
      assert.strictEqual(yield* round, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* round, count)
      assert.deepStrictEqual(new Set(yield* logOf(busy)), new Set([released]))
    }).pipe(Effect.provide(silent(store)))
  })

  testWith(() => locking(8))(
    "reaches others even if more of its messages are due than a round reads",
    function* ({ locked }) {
      yield* opened
      yield* send(busy, 9)
      yield* send(other)
      yield* TestClock.adjust(deadline)
      locked.add(busy)
      const first = yield* Effect.forkChild(round)
      yield* turns
      assert.deepStrictEqual(yield* logOf(other), [open])
      // The first round still waits for the lock.
      assert.strictEqual(yield* round, 1)
      assert.deepStrictEqual(yield* logOf(other), [released])
      yield* TestClock.adjust(lockTimeout)
      assert.strictEqual(yield* Fiber.join(first), 8)
    },
  )

  it.effect("holds at most half of the workers if the lock is taken during a round", () => {
    const { locked, refused, store } = lockable()
    const taken = Store.of({
      ...store,
      execute: (command) =>
        Effect.tap(store.execute(command), () =>
          Effect.sync(() => {
            if (command._tag === "CloseMessage" && command.organization === busy) locked.add(busy)
          }),
        ),
    })
    return Effect.gen(function* () {
      yield* opened
      yield* send(busy, 40)
      yield* send(other, 40)
      yield* TestClock.adjust(deadline)
      const fiber = yield* Effect.forkChild(round)
      yield* turns
      assert.deepStrictEqual(new Set(yield* logOf(other)), new Set([released]))
      yield* TestClock.adjust(lockTimeout)
      yield* Fiber.join(fiber)
      assert.strictEqual(refused.length, 4)
    }).pipe(Effect.provide(silent(taken)))
  })

  testWith(() => locking())(
    "skips its kept reports, applies those of others, and retries later",
    function* ({ locked, refused, store }) {
      yield* opened
      yield* send(busy, 2)
      yield* send(other)
      for (const organization of [busy, other]) {
        const { messages } = yield* Messages.use((_) => _.list({ organization }))
        for (const { gatewayId } of messages) {
          const report = { gateway: "simulated", gatewayId: gatewayId ?? "", detail: null }
          yield* store.keepReport({ ...report, status: "delivered", evidence: null })
        }
      }
      locked.add(busy)
      const fiber = yield* Effect.forkChild(round)
      yield* TestClock.adjust(lockTimeout)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* logOf(other), [delivered])
      assert.deepStrictEqual(refused, ["ApplyReport"])
      locked.delete(busy)
      yield* TestClock.adjust(5_000)
      yield* round
      assert.deepStrictEqual(yield* logOf(busy), [delivered, delivered])
    },
  )

  it.effect.each([
    ["in time", new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })],
    ["at all", Effect.die("a row of another time")],
  ] as const)("settles due messages even if the kept reports cannot be read %s", ([, fails]) => {
    const { store } = lockable()
    return Effect.gen(function* () {
      yield* opened
      yield* send(other)
      yield* TestClock.adjust(deadline)
      yield* round
      assert.deepStrictEqual(yield* logOf(other), [released])
    }).pipe(Effect.provide(silent(Store.of({ ...store, keptReports: () => fails }))))
  })

  it.effect("ends if the store is unavailable", () => {
    const memory = MemoryStore.make()
    const away = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    let isAway = false
    const store = Store.of({
      ...memory,
      execute: (command) => (isAway ? Effect.fail(away) : memory.execute(command)),
    })
    return Effect.gen(function* () {
      yield* opened
      yield* send(other, 2)
      yield* TestClock.adjust(deadline)
      isAway = true
      assert.strictEqual(yield* Effect.flip(round), away)
      isAway = false
      assert.strictEqual(yield* round, 2)
      assert.deepStrictEqual(yield* logOf(other), [released, released])
    }).pipe(Effect.provide(silent(store)))
  })
})

describe("Settlement.lookup, while the lock of an organization is held", () => {
  it.effect("retries its answers, writes those of others, and asks no gateway twice", () => {
    const { locked, store } = lockable()
    const lookups: Array<string> = []
    const gateway = gatewayLayer({
      capabilities: { lookup: true, reports: "polled" },
      send: ({ ref }) => Effect.succeed({ _tag: "Accepted", gatewayId: `gw-${ref.sequence}` }),
      lookup: ({ ref }) =>
        Effect.sync(() => {
          lookups.push(ref.organization)
          return { _tag: "Reported", status: "delivered", detail: null } as const
        }),
    })
    return Effect.gen(function* () {
      yield* opened
      yield* send(busy, 2)
      yield* send(other)
      yield* TestClock.adjust(deadline)
      yield* round
      locked.add(busy)
      const fiber = yield* Effect.forkChild(lookup)
      yield* TestClock.adjust(lockTimeout)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* logOf(other), [delivered])
      assert.strictEqual(yield* lookup, 0)
      locked.delete(busy)
      yield* TestClock.adjust(5_000)
      assert.strictEqual(yield* lookup, 2)
      assert.deepStrictEqual(yield* logOf(busy), [delivered, delivered])
      assert.deepStrictEqual(lookups.toSorted(), [busy, busy, other])
    }).pipe(Effect.provide(engineOver(gateway, Engine.layer, Layer.succeed(Store, store))))
  })
})

describe("Settlement.layerBackground, while a command of an organization hangs", () => {
  const long = 300_000

  it.effect("continues the rounds of others", () => {
    const { locked, store } = lockable(long)
    return Effect.gen(function* () {
      yield* opened
      yield* send(busy, 20)
      yield* TestClock.adjust(5_000)
      yield* send(other)
      locked.add(busy)
      for (let second = 0; second < 63; second++) yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* logOf(other), [released])
      assert.deepStrictEqual(new Set(yield* logOf(busy)), new Set([open]))
      // An engine does not end before its commits.
      locked.delete(busy)
      yield* TestClock.adjust(long)
    }).pipe(
      Effect.provide(
        TestEngine.layer({
          running: true,
          store: Layer.succeed(Store, store),
          gateway: { behave: () => ({ _tag: "NeverReport" }) },
        }),
      ),
      Effect.provideService(DispatchPolicy, { leaseMarginMillis: 60_000, settleMillis: 60_000 }),
    )
  })

  it.effect("applies the reports of others, and its own once they can be written", () => {
    const { locked, store } = lockable(long)
    const report = (organization: OrganizationId, number: number): DeliveryReport => ({
      of: { _tag: "Message", organization, sequence: number },
      status: "delivered",
      detail: null,
    })
    const reports = [
      ...Array.from({ length: 40 }, (_, index) => report(busy, index + 1)),
      report(other, 1),
    ]
    const gateway = gatewayLayer({
      send: ({ token }) => Effect.succeed({ _tag: "Accepted", gatewayId: token }),
      reports: Stream.unwrap(
        Effect.as(Effect.sleep("1 minute"), Stream.fromIterable(reports)),
      ).pipe(Stream.concat(Stream.never)),
    })
    return Effect.gen(function* () {
      yield* opened
      yield* send(busy, 40)
      yield* send(other)
      locked.add(busy)
      yield* TestClock.adjust("1 minute")
      // 16 at a time, and each holds others up for a tenth of a second at most.
      for (let wait = 0; wait < 3; wait++) yield* TestClock.adjust(100)
      assert.deepStrictEqual(yield* logOf(other), [delivered])
      locked.delete(busy)
      yield* TestClock.adjust(long)
      for (let wait = 0; wait < 30; wait++) yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(new Set(yield* logOf(busy)), new Set([delivered]))
    }).pipe(Effect.provide(engineOver(gateway, Engine.layerRunning, Layer.succeed(Store, store))))
  })
})
