import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Event } from "../../src/domain/events/Event.ts"
import * as Events from "../../src/engine/Events.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"

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
const check = (requestId: string, code: string) =>
  Verifications.use((_) =>
    _.check({ organization: Samples.organizationId, requestId, code: Redacted.make(code) }),
  )

const behaving = (behaviour: Behaviour) =>
  TestEngine.layer({ gateway: { behave: () => behaviour } })

describe("Events", () => {
  it.effect("report a verification once, even if it is checked again", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const heard = yield* heardWhile(
        Effect.gen(function* () {
          const { requestId } = yield* send
          const code = yield* TestEngine.latestCode(phoneNumber)
          yield* TestClock.adjust(1_000)
          yield* Effect.forEach(Array.from({ length: 8 }), () => check(requestId, code), {
            concurrency: "unbounded",
          })
          yield* TestClock.adjust(1_000)
          yield* check(requestId, code)
        }),
      )
      assert.deepStrictEqual(
        heard.map(({ _tag, at }) => `${_tag} at ${at}`),
        ["MessageSettled at 0", "VerificationSent at 0", "Verified at 1000"],
      )
      const about = { organization: Samples.organizationId, phoneNumber }
      assert.deepInclude(heard[1], { ...about, channel: "sms" })
      assert.deepInclude(heard[2], about)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("report exhausted attempts once", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const heard = yield* heardWhile(
        Effect.gen(function* () {
          const { requestId } = yield* send
          yield* Effect.replicateEffect(Effect.flip(check(requestId, "wrong")), 6)
        }),
      )
      const failures = heard.filter((event) => event._tag === "Failed")
      assert.deepStrictEqual(
        failures.map(({ reason }) => reason),
        ["attempts"],
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  const stories: ReadonlyArray<readonly [Behaviour, heard: string]> = [
    [{ _tag: "Deliver" }, "MessageSettled, VerificationSent"],
    [{ _tag: "NeverReport" }, "VerificationSent"],
    [{ _tag: "Reject", message: "barred" }, "MessageSettled, Refunded, Failed"],
    [{ _tag: "NotSend", message: "no route" }, "MessageSettled, Refunded, Failed"],
    [{ _tag: "NeverAnswer" }, "VerificationSent"],
  ]
  it.effect.each(
    stories.map(([behaviour, expected]) => [behaviour._tag, expected, behaviour] as const),
  )("of a code for a gateway told to %s are: %s", ([, expected, behaviour]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const heard = yield* heardWhile(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.result(send))
          yield* TestClock.adjust(10_000)
          yield* Fiber.join(fiber)
        }),
      )
      assert.strictEqual(heard.map(({ _tag }) => _tag).join(", "), expected)
    }).pipe(Effect.provide(behaving(behaviour))),
  )

  it.effect("report a refund at the deadline", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const heard = yield* heardWhile(
        Effect.gen(function* () {
          yield* Messages.use((_) =>
            _.send({ organization, phoneNumber: phoneNumber, text: "hello" }),
          )
          yield* TestClock.adjust(86_400_000)
          yield* Settlement.use((_) => _.round)
        }),
      )
      assert.deepStrictEqual<unknown>(heard, [
        {
          _tag: "MessageSettled",
          sequence: 5,
          organization,
          at: 86_400_000,
          messageSequence: 1,
          channel: "sms",
          status: "unknown",
        },
        {
          _tag: "Refunded",
          sequence: 6,
          organization,
          at: 86_400_000,
          messageSequence: 1,
          amount: Samples.money("0.5"),
        },
      ])
    }).pipe(Effect.provide(behaving({ _tag: "NeverReport" }))),
  )

  it.effect("reach every listener from its subscription on", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* send
      const heard = yield* heardWhile(Effect.andThen(heardWhile(send), heardWhile(send)))
      assert.strictEqual(heard.length, 4)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("drop the oldest event for a slow listener, and delay no other", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(Events.layer)),
  )
})
