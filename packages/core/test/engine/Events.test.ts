import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Event } from "../../src/domain/events/Event.ts"
import * as Events from "../../src/engine/Events.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineTest, testOn } from "../support/engineTest.ts"

const phoneNumber = PhoneNumber.fromE164("+8801712345678")
const turns = Effect.replicateEffect(Effect.yieldNow, 20)

/** What is heard while something is done. */
const heardWhile = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { stream } = yield* Events.Events
    const heard: Array<Event> = []
    const listener = yield* Effect.forkChild(
      Stream.runForEach(stream, (event) => Effect.sync(() => heard.push(event))),
    )
    yield* turns
    yield* work
    yield* turns
    yield* Fiber.interrupt(listener)
    return heard
  })

const send = Verifications.use((_) => _.send({ organization: Samples.organizationId, phoneNumber }))
describe("Events", () => {
  engineTest("publish a change of an organization", function* () {
    const { organization: id } = yield* TestEngine.open()
    const rename = Organizations.use((_) => _.update({ id, name: "Renamed" }))
    const heard = yield* heardWhile(rename)
    assert.deepStrictEqual(
      heard.map(({ _tag }) => _tag),
      ["SettingsChanged"],
    )
  })

  engineTest("reach every listener from its subscription on", function* () {
    yield* TestEngine.open()
    yield* send
    const heard = yield* heardWhile(Effect.andThen(heardWhile(send), heardWhile(send)))
    assert.strictEqual(heard.length, 4)
  })

  testOn(Events.layer)(
    "drop the oldest event for a slow listener, and delay no other",
    function* () {
      const events = yield* Events.Events
      const listener = yield* Effect.forkChild(
        events.stream.pipe(
          Stream.mapEffect((event) => Effect.as(Effect.sleep(1_000), event)),
          Stream.take(2),
          Stream.runCollect,
        ),
      )
      yield* turns
      const event = (message: number): Event => ({
        _tag: "Refunded",
        organization: Samples.organizationId,
        at: 0,
        messageSequence: message,
        amount: Samples.money("0.5"),
      })
      const many = Array.from({ length: Events.capacity * 2 }, (_, index) => event(index))
      events.publishUnsafe(many)
      yield* TestClock.adjust(2_000)
      const collected = yield* Fiber.join(listener)
      assert.strictEqual(collected.length, 2)
    },
  )
})
