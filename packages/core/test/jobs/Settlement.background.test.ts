import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Engine from "../../src/Engine.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf } from "../support/log.ts"
import { untyped } from "../support/untyped.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId
const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
)

describe("Settlement.layerBackground", () => {
  testOn(
    TestEngine.layer({
      running: true,
      gateway: { behave: () => ({ _tag: "Report", status: "delivered", afterMillis: 5_000 }) },
    }),
  )("applies the gateway's report", function* () {
    yield* TestEngine.open()
    yield* send
    yield* TestClock.adjust(4_999)
    assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
    yield* TestClock.adjust(1)
    yield* Effect.replicateEffect(Effect.yieldNow, 20)
    assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
  })

  effectTest("runs a round every second, even after a failure, until its scope ends", function* () {
    const memory = MemoryStore.make()
    let rounds = 0
    const store = Store.of({
      ...memory,
      due: (limit) => {
        rounds += 1
        return rounds % 2 === 0 ? Effect.die("a bug") : memory.due(limit)
      },
    })
    const engine = TestEngine.layer({ running: true, store: Layer.succeed(Store, store) })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(engine)
        yield* Effect.replicateEffect(Effect.yieldNow, 10)
        const before = rounds
        yield* TestClock.adjust(10_000)
        assert.strictEqual(rounds - before, 10)
      }),
    )
    const before = rounds
    yield* TestClock.adjust(10_000)
    assert.strictEqual(rounds, before)
  })

  effectTest("listens again after the stream of reports has ended", function* () {
    let listened = 0
    const report: DeliveryReport = {
      of: { _tag: "Message", organization, sequence: 1 },
      status: "delivered",
      detail: null,
    }
    const gateway = gatewayLayer({
      send: ({ token }) => Effect.succeed({ _tag: "Accepted", gatewayId: token }),
      reports: Stream.suspend(() => {
        listened += 1
        return listened < 3 ? Stream.die("a bug in the adapter") : Stream.make(report)
      }),
    })
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* send
      yield* TestClock.adjust(5_000)
      assert.strictEqual(listened, 3)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(Effect.provide(engineOver(gateway, Engine.layerRunning)))
  })

  effectTest("skips unreadable reports, logs the first, and applies the next", function* () {
    const of: DeliveryReport["of"] = { _tag: "Message", organization, sequence: 1 }
    const lines: Array<unknown> = []
    const gateway = gatewayLayer({
      send: ({ token }) => Effect.succeed({ _tag: "Accepted", gatewayId: token }),
      reports: Stream.concat(
        Stream.fromIterable<DeliveryReport>([
          untyped(undefined),
          untyped({ of, status: "failed", detail: { code: 482_913 } }),
          untyped({ of: { ...of, sequence: "1" }, status: "failed", detail: null }),
          { of, status: "delivered", detail: null },
        ]).pipe(Stream.schedule(Schedule.spaced("1 second"))),
        Stream.never,
      ),
    })
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* send
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(
      Effect.provide(engineOver(gateway, Engine.layerRunning)),
      Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))])),
      Effect.provideService(Telemetry.LoggedSources, new Map()),
    )
    assert.deepStrictEqual(lines, [
      [
        "A delivery report could not be read and was not applied",
        { gateway: "scripted", problem: "the report must be an object" },
      ],
    ])
  })

  effectTest("retries a report until the store accepts it", function* () {
    const memory = MemoryStore.make()
    let isDown = false
    const down = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    const store = Store.of({
      ...memory,
      execute: (command) => (isDown ? Effect.fail(down) : memory.execute(command)),
    })
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* send
      isDown = true
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
      isDown = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(
      Effect.provide(
        TestEngine.layer({
          running: true,
          store: Layer.succeed(Store, store),
          gateway: {
            behave: () => ({ _tag: "Report", status: "delivered", afterMillis: 5_000 }),
          },
        }),
      ),
    )
  })
})
