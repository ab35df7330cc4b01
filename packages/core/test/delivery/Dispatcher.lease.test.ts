/** What a node does whose commit is answered so late that its lease is about to end, or has ended. */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { Command, Tag } from "../../src/decide/Command.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { type Behaviour, SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { versionOf } from "../support/versions.ts"
import { testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId

/** How much later than its beginning a commit may be answered: the gateway's time-out is left. */
const margin = 60_000

interface Late {
  readonly tag: Tag
  readonly millis: number
  /** Whether the first answer is lost after that time, and the next one comes at once. */
  readonly isLost?: boolean
}

/** A store whose commits of one kind take effect at once, and are answered late. */
const answeringLate = ({ isLost = false, millis, tag }: Late) =>
  Layer.sync(Store, () => {
    const memory = MemoryStore.make()
    const lost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    let losses = isLost ? 1 : 0
    return Store.of({
      ...memory,
      execute: (command) =>
        Effect.suspend(() => {
          const executed = memory.execute(command)
          if (command._tag !== tag) return executed
          if (isLost && losses <= 0) return executed
          const late = Effect.tap(executed, () => Effect.sleep(millis))
          return losses-- > 0 ? Effect.andThen(late, Effect.fail(lost)) : late
        }),
    })
  })

const engine = (late: Late, gateway: TestEngine.Options["gateway"] = {}) =>
  TestEngine.layer({ store: answeringLate(late), gateway })

/** WhatsApp refuses, and an SMS follows. */
const falling = (late: Late) =>
  engine(late, {
    behave: ({ channel }) =>
      channel === "whatsapp" ? { _tag: "Reject", message: "no such user" } : { _tag: "Deliver" },
  }).pipe(Layer.provide(Fallback.layer()))

/** The outcome or the error of a send. */
const summaryOf = <A, E extends object, R>(sending: Effect.Effect<A, E, R>) =>
  Effect.match(sending, {
    onSuccess: () => "sent",
    onFailure: (error) => ("status" in error ? `${error.status}` : "an error"),
  })

const message = summaryOf(
  Messages.use((_) => _.send({ organization, phoneNumber: "8801712345678", text: "hello" })),
)
const verification = summaryOf(send(organization))
const viaWhatsApp = summaryOf(send(organization, { channel: "whatsapp" }))
const round = Settlement.use((_) => _.round)

const sent = Effect.map(
  SimulatedGateway.use((gateway) => gateway.journal()),
  (journal) => journal.map(({ channel }) => channel),
)

/** Lets time pass for it, and for another node meanwhile. */
const during = Effect.fnUntraced(function* <A, E, R, B = void, F = never, S = never>(
  sending: Effect.Effect<A, E, R>,
  millis: number,
  meanwhile?: Effect.Effect<B, F, S>,
) {
  const fiber = yield* Effect.forkChild(sending)
  yield* TestClock.adjust(millis)
  if (meanwhile !== undefined) yield* meanwhile
  yield* TestClock.adjust(millis)
  return yield* Fiber.join(fiber)
})

describe("a commit whose answer comes late", () => {
  const kinds: ReadonlyArray<
    readonly [
      "message" | "verification",
      Effect.Effect<string, never, Messages | Verifications>,
      Tag,
    ]
  > = [
    ["message", message, "HoldMessage"],
    ["verification", verification, "RequestVerification"],
  ]

  it.effect.each(kinds)(
    "sends its %s while the gateway's time-out has not passed",
    ([, one, tag]) =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        assert.strictEqual(yield* during(one, margin), "sent")
        assert.deepStrictEqual(yield* sent, ["sms"])
      }).pipe(Effect.provide(engine({ tag, millis: margin }))),
  )

  it.effect.each(kinds)("does not send its %s afterwards, and refunds the price", ([, one, tag]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      assert.strictEqual(yield* during(one, margin + 1), "failed")
      assert.deepStrictEqual(yield* sent, [])
      assert.deepStrictEqual(yield* logOf(organization), ["failed, released, 1"])
      const { messages } = yield* Messages.use((_) => _.list({ organization }))
      assert.strictEqual(messages[0]?.error, "The lease ran out before the message was sent")
      const request = messages[0]?.requestId ?? undefined
      if (request === undefined) return
      const failed = yield* Effect.flip(check(organization, request, "123456"))
      assert.strictEqual(failed._tag, "AttemptsExhausted")
    }).pipe(Effect.provide(engine({ tag, millis: margin + 1 }))),
  )

  /** Another node decides on the message in a round: it asks the gateway, or cannot know. */
  const decided = [
    [true, "failed, released, 2", "100.00 + 0.00 held, 3 entries"],
    [false, "unknown, open, 2", "99.50 + 0.50 held, 2 entries"],
  ] as const
  // A code is answered as sent: it may be.
  const answers = { message: "unknown", verification: "sent" } as const

  it.effect.each(kinds.flatMap((kind) => decided.map((row) => [...kind, ...row] as const)))(
    "leaves its %s to the node that has taken it over (look-up: %3$s), which may send it",
    ([name, one, tag, lookup, log, money]) =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        assert.strictEqual(yield* during(one, 80_000, round), answers[name])
        assert.deepStrictEqual(yield* sent, [])
        assert.deepStrictEqual(yield* logOf(organization), [log])
        assert.strictEqual(yield* moneyOf(organization), money)
      }).pipe(Effect.provide(engine({ tag, millis: 90_000 }, { capabilities: { lookup } }))),
  )

  testOn(falling({ tag: "RequestVerification", millis: margin + 1 }))(
    "sends its code by SMS if the fallback is on",
    function* () {
      yield* TestEngine.open()
      assert.strictEqual(yield* during(viaWhatsApp, margin + 1), "sent")
      assert.deepStrictEqual(yield* sent, ["sms"])
      const code = yield* TestEngine.latestCode(phoneNumber)
      const { messages } = yield* Messages.use((_) => _.list({ organization }))
      const request = messages[0]?.requestId ?? ""
      assert.strictEqual((yield* check(organization, request, code)).status, "verified")
    },
  )

  it.effect.each([false, true])(
    "does not send the SMS of the fallback either (the first answer is lost: %s)",
    (isLost) =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        assert.strictEqual(yield* during(viaWhatsApp, margin + 1_000), "failed")
        assert.deepStrictEqual(yield* sent, ["whatsapp"])
        const log = yield* logOf(organization)
        assert.deepStrictEqual(log, ["rejected, none, 1", "failed, released, 1"])
        const { messages } = yield* Messages.use((_) => _.list({ organization }))
        const requestId = messages[0]?.requestId ?? ""
        const { status } = yield* Verifications.use((_) => _.status({ organization, requestId }))
        assert.strictEqual(status, "failed")
      }).pipe(Effect.provide(falling({ tag: "FollowVerification", millis: margin + 1, isLost }))),
  )

  testOn(
    engine(
      { tag: "ReclaimMessage", millis: margin + 1 },
      { capabilities: { tokenMillis: Infinity } },
    ),
  )(
    "does not send a message that it has taken over again, and leaves its outcome unknown",
    function* () {
      yield* TestEngine.open()
      const store = yield* Store
      yield* store.execute(Samples.holdMessage({ version: yield* versionOf(organization) }))
      yield* TestClock.adjust(70_000)
      yield* during(round, margin + 1)
      assert.deepStrictEqual(yield* sent, [])
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 2"])
    },
  )
})

const isOutcome = (command: { readonly _tag: string }): command is Command<"RecordDispatch"> =>
  command._tag === "RecordDispatch"

/** A store that gets the outcome of the first dispatch so late that another node can take its message over. */
const recordingLate = Layer.sync(Store, () => {
  const memory = MemoryStore.make()
  return Store.of({
    ...memory,
    execute: (command) => {
      const executed = memory.execute(command)
      if (!isOutcome(command)) return executed
      const isFirst = command.messageSequence === 1 && command.dispatchNumber === 1
      return isFirst ? Effect.delay(executed, 90_000) : executed
    },
  })
})

/** Both nodes. The gateway answers so to the first dispatch, and accepts a repeat. */
const sendingTwice = (first: Behaviour) => {
  let dispatches = 0
  const behave = (): Behaviour => (dispatches++ === 0 ? first : { _tag: "NeverReport" })
  return TestEngine.layer({
    store: recordingLate,
    gateway: { behave, capabilities: { tokenMillis: Infinity } },
  }).pipe(Layer.provide(Fallback.layer()))
}

describe("an outcome that another node's dispatch has replaced", () => {
  const unsent = [
    ["refused", { _tag: "Reject", message: "barred" }],
    ["did not send", { _tag: "NotSend", message: "no connection" }],
  ] as const
  // A code is answered as sent: it may be.
  const sends: ReadonlyArray<
    readonly [
      name: string,
      Effect.Effect<string, never, Messages | Verifications>,
      answer: string,
      channel: string,
      log: string,
    ]
  > = [
    ["message", message, "unknown", "sms", "accepted, open, 2"],
    ["code", verification, "sent", "sms", "accepted, open, 2"],
    ["code over WhatsApp", viaWhatsApp, "sent", "whatsapp", "accepted, none, 2"],
  ]
  const rows = sends.flatMap(([name, ...row]) =>
    unsent.map((first) => [name, ...first, ...row] as const),
  )

  it.effect.each(rows)(
    "fails no %s that the gateway %s at first, and no SMS follows",
    ([, , first, sending, answer, channel, log]) =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        assert.strictEqual(yield* during(sending, 80_000, round), answer)
        assert.deepStrictEqual(yield* sent, [channel])
        assert.deepStrictEqual(yield* logOf(organization), [log])
      }).pipe(Effect.provide(sendingTwice(first))),
  )
})
