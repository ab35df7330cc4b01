import { Gateway } from "@countersign/core/ports/Gateway"
import { Pricing } from "@countersign/core/decide/Pricing"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import * as Inbox from "../src/effect.ts"
import { messageOf, send } from "./support/phones.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const layer = Inbox.layer()
const to = "+8801712345678"

const phones = testsOver(layer)

const waiting = (options: Inbox.WaitForCode) =>
  Effect.forkChild(
    Inbox.Inbox.use((_) => _.waitForCode(options)),
    { startImmediately: true },
  )

const outcomes = Inbox.Inbox.use((_) =>
  Effect.map(_.messages(), (messages) => messages.map(({ outcome }) => outcome)),
)

describe("waitForCode", () => {
  phones.effect("ends with the code, and not before its time without one", function* () {
    const fiber = yield* waiting({ phoneNumber: to, timeout: "1 minute" })
    yield* send({ to: "+8801812345678", code: "1111" })
    yield* send({ to })
    yield* TestClock.adjust(59_999)
    assert.isUndefined(fiber.pollUnsafe())
    const id = yield* send({ to, code: "730164" })
    assert.deepInclude(yield* Fiber.join(fiber), { code: "730164", id, to })
  })

  phones.effect("fails when its time is over, 10 seconds by default", function* () {
    const fiber = yield* waiting({ phoneNumber: to })
    yield* TestClock.adjust(9_999)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.strictEqual(error.message, "No code was sent to this number within 10 seconds")
  })

  phones.effect(
    "fails at once without a timeout to wait for, and when the inbox ends",
    function* () {
      const inbox = yield* Inbox.Inbox
      yield* send({ to, text: "123456 is a number in a text" })
      yield* Effect.flip(inbox.waitForCode({ phoneNumber: to, timeout: "0 seconds" }))
      const fiber = yield* waiting({ phoneNumber: to, timeout: "1 minute" })
      yield* inbox.close
      yield* Effect.flip(Fiber.join(fiber))
    },
  )

  phones.effect("ignores the codes up to the message that it is to come after", function* () {
    const inbox = yield* Inbox.Inbox
    yield* send({ to, code: "1111" })
    const after = yield* send({ to: "+8801812345678" })
    yield* Effect.flip(inbox.waitForCode({ phoneNumber: to, after, timeout: "0 seconds" }))
    const fiber = yield* waiting({ phoneNumber: to, after })
    yield* inbox.deliver("by-hand")
    const second = yield* send({ to, code: "2222" })
    assert.deepInclude(yield* Fiber.join(fiber), { code: "2222", id: second })
    // Every message is newer than one that is gone.
    yield* inbox.clear
    yield* send({ to, code: "3333" })
    assert.deepInclude(yield* inbox.waitForCode({ phoneNumber: to, after, timeout: "0 seconds" }), {
      code: "3333",
    })
  })
})

describe("the phones", () => {
  phones.effect("keep the newest 500 messages", function* () {
    for (let index = 0; index < 501; index++) yield* send({ text: `${index}` })
    const messages = yield* Inbox.Inbox.use((_) => _.messages())
    assert.lengthOf(messages, 500)
    assert.deepStrictEqual([messages[0]?.text, messages[499]?.text], ["500", "1"])
  })

  phones.effect("accept messages as the delivery says", function* () {
    const inbox = yield* Inbox.Inbox
    yield* send()
    yield* inbox.deliver("by-hand")
    yield* send()
    yield* inbox.deliver("2 seconds")
    yield* send()
    assert.deepStrictEqual(yield* outcomes, ["accepted", "accepted", "delivered"])
    yield* TestClock.adjust(2_000)
    assert.deepStrictEqual(yield* outcomes, ["delivered", "accepted", "delivered"])
    assert.strictEqual(yield* inbox.delivery, "2 seconds")
  })

  phones.effect("behave as the table of special numbers says", function* () {
    const gateway = yield* Gateway
    const numbers = yield* Effect.forEach(Inbox.specialNumbers, ({ number }) =>
      Effect.gen(function* () {
        const outcomes = yield* Effect.forEach(["sms", "whatsapp"] as const, (channel) =>
          Effect.timeoutOption(gateway.send(messageOf({ to: number, channel })), 0).pipe(
            Effect.map((outcome) => (outcome._tag === "Some" ? outcome.value._tag : "none")),
            Effect.forkChild({ startImmediately: true }),
            Effect.tap(() => TestClock.adjust(0)),
            Effect.flatMap(Fiber.join),
          ),
        )
        const reachable = yield* gateway.isReachable("whatsapp", PhoneNumber.fromE164(number))
        return [number.slice(-3), ...outcomes, reachable].join(" ")
      }),
    )
    assert.deepStrictEqual(numbers, [
      "101 Rejected Rejected yes",
      "102 Delivered Rejected no",
      "103 Accepted Accepted yes",
      "104 none none yes",
      "105 Accepted Accepted yes",
      "106 Delivered NotSent yes",
      "107 Accepted Accepted yes",
    ])
  })

  const switchedOff = {
    number: to,
    meaning: "switched off",
    sms: { _tag: "Reject", message: "The phone is switched off" },
  } as const

  testsOver(Inbox.layer({ numbers: [switchedOff] })).effect(
    "can have other special numbers",
    function* () {
      yield* send({ to: "+8801555000101" })
      yield* send({ to })
      assert.deepStrictEqual(yield* outcomes, ["rejected", "delivered"])
    },
  )
})

phones.effect("the events are a snapshot, the delivery, and then every change", function* () {
  const inbox = yield* Inbox.Inbox
  yield* send({ text: "before" })
  const reading = yield* inbox.events.pipe(
    Stream.decodeText,
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true }),
  )
  // Until the page has the snapshot.
  yield* TestClock.adjust(1)
  const id = yield* send({ to: "+8801555000105", text: "after" })
  yield* TestClock.adjust(1_000)
  yield* inbox.deliver("by-hand")
  yield* TestClock.adjust(1_000)
  yield* inbox.clear
  yield* TestClock.adjust(15_000)
  yield* inbox.close
  const text = Array.from(yield* Fiber.join(reading)).join("")
  assert.match(text, /^retry: \d+\n/)
  assert.match(text, /\n:\n\n/)
  const events = [...text.matchAll(/^event: (\w+)\ndata: ([^\n]*)\n\n/gm)].map(
    ([, name, data = ""]) => {
      const read: unknown = JSON.parse(data)
      return [name, read]
    },
  )
  const [message] = events.filter(([name]) => name === "message")
  assert.deepStrictEqual(
    events.map(([name]) => name),
    ["snapshot", "delivery", "message", "message", "delivery", "snapshot"],
  )
  assert.deepInclude(message?.[1], { id, text: "after", outcome: "accepted" })
  assert.deepInclude(events[3]?.[1], { id, outcome: "delivered" })
  assert.deepStrictEqual([events[1]?.[1], events[4]?.[1]], ["at-once", "by-hand"])
  assert.deepStrictEqual(events[5]?.[1], [])
})

const priced = Layer.succeed(Pricing, { currency: "USD", price: () => Money.make("2.5") })

testsOver(Layer.provide(layer, priced)).effect(
  "a message shows the price of the engine",
  function* () {
    yield* send()
    const [message] = yield* Inbox.Inbox.use((_) => _.messages())
    assert.deepInclude(message, { price: "2.50", currency: "USD" })
  },
)
