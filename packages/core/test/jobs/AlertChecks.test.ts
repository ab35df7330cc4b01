import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { LoggedEvent } from "../../src/domain/events/Event.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { AlertChecks } from "../../src/jobs/AlertChecks.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import { Store } from "../../src/ports/Store.ts"
import { Alerts } from "../../src/services/Alerts.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { twoNodes } from "../support/nodes.ts"
import { effectTest, engineTest, testOn } from "../support/engineTest.ts"
import { engine, receivers, status } from "../support/receiving.ts"

const organization = Samples.organizationId
const minute = 60_000
const hour = 60 * minute

/** An organization with money, at a time at which no row is of the first minute of all. */
const start = Effect.andThen(TestClock.setTime(Samples.now), TestEngine.open())

const send = (count: number) =>
  Effect.replicateEffect(
    Effect.ignore(
      Messages.use((_) => _.send({ organization, phoneNumber: "8801712345678", text: "hello" })),
    ),
    count,
  )

const round = AlertChecks.use((_) => _.round)

const update = (settings: Omit<Parameters<Organizations["Service"]["update"]>[0], "id">) =>
  Organizations.use((_) => _.update({ id: organization, ...settings }))

const told = (event: LoggedEvent): ReadonlyArray<string> =>
  event._tag === "AlertRaised" || event._tag === "AlertOver"
    ? [`${event._tag} ${event.alert} ${event.value}`]
    : []

/** The alerts in the event log. */
const raised = Store.use((_) => _.events(organization, 0, 1_000)).pipe(
  Effect.map((page) => page?.events.flatMap(told)),
)

const open = Alerts.use((_) => _.list({ organization })).pipe(
  Effect.map((all) => all.filter(({ openSince }) => openSince !== null).map(({ alert }) => alert)),
)

const failing = testOn(
  TestEngine.layer({
    gateway: { behave: () => ({ _tag: "Reject", message: "no", retryable: false }) },
  }),
)

describe("AlertChecks.round", () => {
  failing("raises an alert of messages that do not arrive, once, and ends it", function* () {
    yield* start
    yield* send(20)
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(yield* raised, ["AlertRaised delivered 0"])
    assert.deepStrictEqual(yield* open, ["delivered"])
    // Not before a minute has passed.
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust(minute)
    assert.strictEqual(yield* round, 1)
    assert.lengthOf((yield* raised) ?? [], 1)
    // Its messages have left the window. The organization has no others, and is examined because the alert is open.
    yield* TestClock.adjust(5 * hour)
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(yield* raised, ["AlertRaised delivered 0", "AlertOver delivered null"])
    yield* TestClock.adjust(minute)
    assert.strictEqual(yield* round, 0)
  })

  engineTest("examines no organization without messages", function* () {
    yield* start
    assert.strictEqual(yield* round, 0)
  })

  engineTest("compares with the bounds of the organization", function* () {
    yield* start
    yield* send(1)
    yield* round
    assert.deepStrictEqual(yield* raised, [])
    yield* update({ alerts: { spend: Money.make("0.0001") } })
    yield* TestClock.adjust(minute)
    yield* round
    assert.deepStrictEqual(yield* open, ["spend"])
    yield* update({ resetAlerts: ["spend"] })
    yield* TestClock.adjust(minute)
    yield* round
    assert.deepStrictEqual(yield* open, [])
  })

  effectTest("of two nodes, one examines an organization", function* () {
    const { here, there } = yield* twoNodes()
    yield* here(start)
    yield* here(send(1))
    const counts = yield* Effect.all([here(round), there(round)], { concurrency: 2 })
    assert.strictEqual(counts[0] + counts[1], 1)
    yield* TestClock.adjust(minute)
    assert.strictEqual(yield* there(round), 1)
  })

  effectTest("raises an alert of a webhook that takes nothing, which others receive", function* () {
    const receiver = receivers({ "broken.example": () => Effect.succeed(status(500)) })
    const steps = Effect.gen(function* () {
      yield* start
      const add = (host: string) =>
        Webhooks.use((_) => _.create({ organization, url: `https://${host}/` }))
      const broken = yield* add("broken.example")
      const other = yield* add("other.example")
      const deliver = (id: typeof broken.id) =>
        WebhookDelivery.use((_) => _.deliver({ organization, id }))
      yield* send(1)
      yield* deliver(broken.id)
      yield* TestClock.adjust(16 * minute)
      yield* round
      assert.deepStrictEqual(yield* raised, ["AlertRaised webhooks 16"])
      yield* deliver(other.id)
      const types = receiver.of("other.example").map(({ type }) => type)
      assert.include(types, "alert_raised")
      // One that is disabled is expected to take nothing.
      yield* Webhooks.use((_) => _.update({ organization, id: broken.id, isEnabled: false }))
      yield* TestClock.adjust(minute)
      yield* round
      assert.deepStrictEqual(yield* open, [])
    })
    yield* Effect.provide(steps, engine(receiver))
  })
})

describe("AlertChecks.layerBackground", () => {
  testOn(TestEngine.layer({ running: true }))("examines every minute", function* () {
    yield* TestEngine.open()
    yield* update({ alerts: { spend: Money.make("0.0001") } })
    yield* send(1)
    yield* TestClock.adjust(minute)
    assert.deepStrictEqual(yield* raised, [])
    // Rounds begin a second after the start.
    yield* TestClock.adjust(2_000)
    yield* Effect.replicateEffect(Effect.yieldNow, 50)
    assert.deepStrictEqual(yield* raised, ["AlertRaised spend 0.50"])
  })
})
