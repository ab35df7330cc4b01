import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Retention, layer } from "../../src/jobs/Retention.ts"
import { SettlementPolicy } from "../../src/jobs/Settlement.ts"
import { type PruneStep, Store } from "../../src/ports/Store.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { send } from "../support/verifying.ts"
import { filled, left, over, policy, watched } from "../support/retaining.ts"
import { effectTest, engineTest, testOn } from "../support/engineTest.ts"
import * as RetentionPolicy from "../../src/engine/RetentionPolicy.ts"

const round = Retention.use((_) => _.round)

const aDay = { messages: Duration.days(1), verifications: Duration.days(1) }

const inWords = ({ after, kind, organization }: PruneStep): string =>
  `${organization} ${kind}${after === undefined ? "" : " on"}`

describe("Retention.eraseCodes", () => {
  const erase = Retention.use((_) => _.eraseCodes)

  const retaining = (store: Store["Service"], overrides: Parameters<typeof policy>[0]) =>
    Effect.provide(
      TestEngine.layer({ store: Layer.succeed(Store, store) }).pipe(
        Layer.provide(policy(overrides)),
      ),
    )

  engineTest("erases the sealed codes of expired requests under every policy", function* () {
    const acme = yield* TestEngine.open()
    const other = yield* TestEngine.open({ id: "other" })
    yield* send(acme.organization)
    const { requestId } = yield* send(other.organization)
    assert.strictEqual(yield* erase, 0)
    yield* TestClock.adjust(300_000)
    assert.strictEqual(yield* erase, 2)
    const store = yield* Store
    const found = yield* store.verification(other.organization, requestId)
    assert.isNull(found?.verification.sealed)
    assert.strictEqual(yield* erase, 0)
  })

  it.effect("examines only organizations that may have codes to erase", () => {
    const { steps, store } = watched(MemoryStore.make())
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* TestEngine.open({ id: "unused" })
      yield* erase
      assert.deepStrictEqual(steps, [])
      yield* send(organization)
      assert.strictEqual(yield* erase, 0)
      yield* TestClock.adjust(Duration.days(30))
      assert.strictEqual(yield* erase, 1)
      assert.strictEqual(yield* erase, 0)
      assert.deepStrictEqual(steps.map(inWords), ["acme codes", "acme codes"])
    }).pipe(Effect.provide(TestEngine.layer({ store: Layer.succeed(Store, store) })))
  })

  it.effect("leaves the messages that arrive meanwhile to the next call", () => {
    const memory = MemoryStore.make()
    const { steps, store } = watched({
      ...memory,
      // More messages arrive during a step than it examines.
      prune: ({ after = "0", limit }) =>
        Effect.succeed({
          dropped: limit,
          next: steps.length < 9 ? String(Number(after) + limit) : undefined,
        }),
    })
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 4)
      assert.strictEqual(yield* erase, 4)
      assert.deepStrictEqual(steps.map(inWords), ["acme codes", "acme codes on"])
    }).pipe(retaining(store, { stepRows: 2 }))
  })

  it.effect("lets rounds run between its steps", () => {
    const { steps, store } = watched(MemoryStore.make())
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 3)
      yield* TestClock.adjust(Duration.hours(1))
      yield* Effect.all([erase, round], { concurrency: "unbounded" })
      assert.deepStrictEqual(steps.map(inWords), [
        "acme codes",
        "acme messages",
        "acme codes on",
        "acme codes on",
      ])
    }).pipe(retaining(store, { messages: Duration.days(1), stepRows: 1 }))
  })

  const faults: ReadonlyArray<readonly [string, Effect.Effect<never, StoreUnavailable>]> = [
    ["is busy", new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })],
    ["has a row that cannot be read", Effect.die(new Error("A row cannot be read"))],
  ]
  for (const [fault, failure] of faults) {
    it.effect(
      `erases the codes of other organizations while one ${fault}, and its own later`,
      () => {
        const memory = MemoryStore.make()
        let isBroken = true
        const store = Store.of({
          ...memory,
          prune: (step) =>
            isBroken && step.organization === "acme" ? failure : memory.prune(step),
        })
        return Effect.gen(function* () {
          const acme = yield* TestEngine.open()
          const other = yield* TestEngine.open({ id: "other" })
          yield* send(acme.organization)
          yield* send(other.organization)
          yield* TestClock.adjust(Duration.days(30))
          assert.strictEqual(yield* erase, 1)
          isBroken = false
          yield* TestClock.adjust(Duration.days(30))
          assert.strictEqual(yield* erase, 1)
        }).pipe(
          Effect.provide(TestEngine.layer({ store: Layer.succeed(Store, store) })),
          Effect.provide(Logger.layer([])),
        )
      },
    )
  }
})

describe("Retention.round", () => {
  effectTest("takes one step for each organization, and continues in the next round", function* () {
    const { steps, store } = watched(yield* filled({ acme: 5, globex: 3 }))
    const rounds = yield* Effect.replicateEffect(round, 4).pipe(
      Effect.provide(over(store, { messages: Duration.days(1), stepRows: 2 })),
    )
    assert.deepStrictEqual(
      rounds.map(({ isDone, messages }) => [messages, isDone]),
      [
        [4, false],
        [3, false],
        [1, true],
        [0, true],
      ],
    )
    assert.deepStrictEqual(steps.map(inWords), [
      "acme messages",
      "globex messages",
      "acme messages on",
      "globex messages on",
      "acme messages on",
    ])
  })

  effectTest("pauses nine times as long as a step has taken", function* () {
    const memory = yield* filled({ acme: 4 })
    const slow = Store.of({
      ...memory,
      prune: (step) => Effect.delay(memory.prune(step), "20 millis"),
    })
    const sparing = { messages: Duration.days(1), share: 0.1 }
    const started = yield* Clock.currentTimeMillis
    const { store, steps } = watched(slow)
    const context = yield* Layer.build(over(store, { ...sparing, stepRows: 2 }))
    const two = Effect.provide(Effect.andThen(round, round), context)
    const fiber = yield* Effect.forkChild(two)
    yield* TestClock.adjust(199)
    assert.strictEqual(steps.length, 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(steps.length, 2)
    yield* TestClock.adjust(200)
    yield* Fiber.join(fiber)
    assert.strictEqual((yield* Clock.currentTimeMillis) - started, 400)
  })

  effectTest("runs one round at a time", function* () {
    const { steps, store } = watched(yield* filled({ acme: 3, globex: 1 }))
    const rounds = yield* Effect.all([round, round, round], { concurrency: "unbounded" }).pipe(
      Effect.provide(over(store)),
    )
    assert.deepStrictEqual(
      rounds.map(({ messages }) => messages),
      [4, 0, 0],
    )
    assert.strictEqual(steps.length, 2)
  })

  effectTest("counts the rows by kind", function* () {
    const registry = new Map()
    const dropped = Metric.value(Metric.withAttributes(Telemetry.droppedRows, { kind: "messages" }))
    const { count } = yield* Effect.gen(function* () {
      const store = yield* filled({ acme: 3 })
      yield* round.pipe(Effect.provide(over(store)))
      return yield* dropped
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
    assert.strictEqual(count, 3)
  })
})

describe("Retention in the engine", () => {
  /** Days pass in these tests, and settlement need not look every second of them. */
  const running = (
    overrides: Parameters<typeof policy>[0],
    options: Omit<TestEngine.Options, "running"> = {},
  ) =>
    TestEngine.layer({ ...options, running: true }).pipe(
      Layer.provide(policy(overrides)),
      Layer.provide(Layer.succeed(SettlementPolicy, { intervalMillis: 3_600_000, batch: 200 })),
    )

  effectTest("runs by itself, again after each interval, and ends with the engine", function* () {
    const { steps, store } = watched(yield* filled({ acme: 3 }))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(running(aDay, { store: Layer.succeed(Store, store) }))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* left(store, "acme"), 0)
        const before = steps.length
        yield* TestClock.adjust(Duration.minutes(10))
        assert.isAbove(steps.length, before)
      }),
    )
    const before = steps.length
    yield* TestClock.adjust(Duration.hours(5))
    assert.strictEqual(steps.length, before)
  })

  effectTest("erases expired codes every ten minutes", function* () {
    const { steps, store } = watched(MemoryStore.make())
    const engine = yield* Layer.build(running({}, { store: Layer.succeed(Store, store) }))
    yield* TestClock.adjust("1 second")
    yield* Effect.flatMap(TestEngine.open(), ({ organization }) => send(organization)).pipe(
      Effect.provide(engine),
    )
    yield* TestClock.adjust(599_999)
    assert.deepStrictEqual(steps, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(steps.map(inWords), ["acme codes"])
  })

  testOn(Logger.layer([]))("continues after a failure", function* () {
    const memory = yield* filled({ acme: 3 })
    let tries = 0
    const away = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    const store = Store.of({
      ...memory,
      // The first reads are those of both kinds of rounds.
      organizations: (after, limit) =>
        tries++ < 2 ? Effect.fail(away) : memory.organizations(after, limit),
    })
    yield* Layer.build(running(aDay, { store: Layer.succeed(Store, store) }))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* left(store, "acme"), 3)
    yield* TestClock.adjust(Duration.minutes(10))
    assert.strictEqual(yield* left(store, "acme"), 0)
  })
})

describe("Retention", () => {
  effectTest("drops refusals after 90 days by default, and no other rows", function* () {
    const { steps, store } = watched(yield* filled({ acme: 3 }))
    yield* Retention.use((_) => _.round).pipe(
      Effect.provide(layer.pipe(Layer.provide(Layer.succeed(Store, store)))),
    )
    assert.deepStrictEqual(
      steps.map(({ kind, organization }) => `${organization} ${kind}`),
      ["acme refusals"],
    )
    assert.deepInclude(steps[0], { keepMillis: Duration.toMillis(Duration.days(90)) })
  })

  it("keeps refusals no longer than requests", () => {
    const kept = (overrides: Partial<RetentionPolicy.RetentionPolicy>) =>
      RetentionPolicy.keptFor({ ...RetentionPolicy.defaults, ...overrides }).refusals
    assert.deepStrictEqual(kept({ verifications: Duration.days(30) }), Duration.days(30))
    assert.deepStrictEqual(kept({ verifications: Duration.days(365) }), Duration.days(90))
    assert.deepStrictEqual(kept({ refusals: Duration.days(365) }), Duration.days(365))
  })
})
