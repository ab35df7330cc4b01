import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "@effect/vitest"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { OutboxDelivery, OutboxPolicy } from "../../src/jobs/OutboxDelivery.ts"
import { makeRightOfWay } from "../../src/jobs/internal/rightOfWay.ts"
import { Batches } from "../../src/services/Batches.ts"
import { Outbox } from "../../src/services/Outbox.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId
const other = OrganizationId("other")

/** Lets every fiber that can go on do so. The clock stands still. */
const settle = Effect.replicateEffect(Effect.yieldNow, 500)

const policy = { intervalMillis: 1_000, concurrency: 32, leaseMillis: 30_000 }

/** A node over a gateway that does not answer. */
const silentTest = testOn(
  TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverAnswer" }) } }).pipe(
    Layer.provide(Layer.succeed(OutboxPolicy, policy)),
  ),
)

const numbers = (count: number, from = 0): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `+88017${String(10_000_000 + from + index)}`)

const enqueue = (owner: OrganizationId, phoneNumbers: ReadonlyArray<string>) =>
  Outbox.use((outbox) =>
    Effect.flatMap(
      Effect.forEach(phoneNumbers, (phoneNumber) =>
        outbox.prepareMessage({ organization: owner, phoneNumber, text: "Hello" }),
      ),
      outbox.enqueue,
    ),
  )

const countOf = (owner: OrganizationId) =>
  Effect.map(
    SimulatedGateway.use((_) => _.journal()),
    (journal) => journal.filter((entry) => entry.organization === owner).length,
  )

/** Sends in the background during `steps`, and then until the gateway has timed out. */
const whileRunning = Effect.fnUntraced(function* <A, E, R>(steps: Effect.Effect<A, E, R>) {
  const node = yield* Effect.forkChild(Effect.scoped(OutboxDelivery.use(({ run }) => run)), {
    startImmediately: true,
  })
  const end = Effect.gen(function* () {
    const ended = yield* Effect.forkChild(Fiber.interrupt(node), { startImmediately: true })
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(ended)
  })
  yield* Effect.ensuring(Effect.andThen(settle, steps), end)
})

/** A batch of which as many messages are on their way as may be, and then `steps`. */
const besideBatch = Effect.fnUntraced(function* <A, E, R>(steps: Effect.Effect<A, E, R>) {
  yield* TestEngine.open()
  yield* TestEngine.open({ id: "other" })
  yield* Batches.use((_) => _.sendMany({ organization, recipients: numbers(100), text: "Hello" }))
  yield* whileRunning(
    Effect.gen(function* () {
      assert.strictEqual(yield* countOf(organization), 24)
      yield* steps
    }),
  )
})

describe("a batch of which as many messages are on their way as may be", () => {
  silentTest("delays no message of another organization", function* () {
    yield* besideBatch(
      Effect.gen(function* () {
        yield* enqueue(other, numbers(1, 500))
        yield* settle
        assert.strictEqual(yield* countOf(other), 1)
      }),
    )
  })

  silentTest("delays no other message of its organization, and keeps its places", function* () {
    yield* besideBatch(
      Effect.gen(function* () {
        yield* enqueue(organization, numbers(1, 500))
        yield* settle
        assert.strictEqual(yield* countOf(organization), 25)
        yield* TestClock.adjust("11 seconds")
        yield* settle
        assert.strictEqual(yield* countOf(organization), 25 + 24)
      }),
    )
  })
})

describe("many messages of an organization without a batch", () => {
  silentTest("delay no message of another organization", function* () {
    yield* TestEngine.open()
    yield* TestEngine.open({ id: "other" })
    yield* whileRunning(
      Effect.gen(function* () {
        yield* enqueue(organization, numbers(100))
        yield* settle
        // The first ones have the right of way until then.
        yield* TestClock.adjust("10 millis")
        yield* settle
        assert.strictEqual(yield* countOf(organization), 24)
        yield* enqueue(other, numbers(2, 500))
        yield* settle
        assert.strictEqual(yield* countOf(other), 2)
      }),
    )
  })
})

describe("the right of way", () => {
  const start = Effect.gen(function* () {
    const way = makeRightOfWay()
    yield* Effect.forkScoped(way.run, { startImmediately: true })
    let count = 0
    /** Counts how many of the waiting effects have gone on. */
    const wait = Effect.forkScoped(
      Effect.andThen(
        way.wait,
        Effect.sync(() => {
          count += 1
        }),
      ),
      { startImmediately: true },
    )
    return { way, wait, gone: Effect.as(settle, undefined).pipe(Effect.map(() => count)) }
  })

  effectTest("belongs to an effect until it ends", function* () {
    const { gone, wait, way } = yield* start
    yield* Effect.forkScoped(way.give(Effect.sleep("5 millis")))
    yield* settle
    yield* wait
    assert.strictEqual(yield* gone, 0)
    yield* TestClock.adjust("5 millis")
    assert.strictEqual(yield* gone, 1)
  })

  effectTest("ends after 10 ms, and others come first for as long", function* () {
    const { gone, wait, way } = yield* start
    yield* Effect.forkScoped(way.give(Effect.never))
    yield* settle
    yield* wait
    yield* TestClock.adjust("9 millis")
    assert.strictEqual(yield* gone, 0)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* gone, 1)
    yield* Effect.forkScoped(way.give(Effect.never))
    yield* TestClock.adjust("9 millis")
    yield* wait
    assert.strictEqual(yield* gone, 2)
    yield* TestClock.adjust("1 millis")
    yield* settle
    yield* wait
    assert.strictEqual(yield* gone, 2)
  })
})
