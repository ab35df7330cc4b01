import { assert, describe, it } from "@effect/vitest"
import { developmentGateway, UnavailableError } from "countersign"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeCarry } from "../src/internal/carry.ts"
import type { Carrier } from "../src/internal/types.ts"
import { host, phoneNumber } from "./support/host.ts"

const message = { phoneNumber, text: "123456 is your code.", key: ["8f2b"] }

const content = { ...message, key: [phoneNumber, message.text], isContent: true }

/** Resolves when `resolve` was called. */
const signal = () => Promise.withResolvers<void>()

const never = (): Promise<never> => new Promise(() => {})

const setUp = Effect.fnUntraced(function* (options?: Parameters<typeof host>[0]) {
  const made = yield* Effect.promise(() => host(options))
  const { clock, engine } = made
  const over = (own: Partial<Carrier["messages"]>) =>
    makeCarry({ messages: { ...engine.messages, ...own } }, { clock }, "test")
  /** Carries a message on a node that stops after the commit. */
  const commitOnly = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(over({ dispatch: never })("secret", message))
    yield* TestClock.adjust("4 seconds")
    yield* Fiber.join(fiber)
  })
  return { ...made, carry: over({}), commitOnly, over }
})

describe("a message that is carried", () => {
  it.effect("is answered after 4 seconds, although its gateway is still busy, and sent once", () =>
    Effect.gen(function* () {
      const called = signal()
      const released = signal()
      const sent: Array<string> = []
      const { carry, engine } = yield* setUp({
        gateways: [
          {
            name: "slow",
            send: async ({ text, token }) => {
              sent.push(text)
              called.resolve()
              await released.promise
              return { status: "accepted", gatewayId: token }
            },
          },
        ],
      })
      const fiber = yield* Effect.forkChild(carry("secret", message))
      yield* Effect.promise(() => called.promise)
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
      released.resolve()
      yield* carry("secret", message)
      const { items } = yield* Effect.promise(() => engine.messages.list())
      assert.lengthOf(items, 1)
      assert.deepStrictEqual(sent, [message.text])
    }),
  )

  it.effect("is sent by a node if the one that has committed it stops", () =>
    Effect.gen(function* () {
      const shown = signal()
      const gateway = developmentGateway(() => shown.resolve())
      const { clock, commitOnly } = yield* setUp({ gateways: [gateway] })
      yield* commitOnly
      assert.deepStrictEqual(gateway.messages(), [])
      yield* Effect.promise(() => clock.advance("5 seconds"))
      yield* Effect.promise(() => shown.promise)
      assert.deepStrictEqual(
        gateway.messages().map(({ text }) => text),
        [message.text],
      )
    }),
  )

  it.effect("is dropped if no node could send it in 5 minutes", () =>
    Effect.gen(function* () {
      const dropped = signal()
      const { clock, commitOnly, engine, sent } = yield* setUp()
      engine.subscribe(({ type }) => {
        if (type === "message_dropped") dropped.resolve()
      })
      yield* commitOnly
      yield* Effect.promise(() => clock.advance("305 seconds"))
      yield* Effect.promise(() => dropped.promise)
      assert.deepStrictEqual(sent(), [])
    }),
  )

  it.effect("is refused if it cannot be committed in 3 seconds", () =>
    Effect.gen(function* () {
      const { over, sent } = yield* setUp()
      const prepared = { id: "", statement: { text: "", values: [] }, enqueue: never }
      const carry = over({ prepare: () => prepared })
      const fiber = yield* Effect.forkChild(Effect.flip(carry("secret", message)))
      yield* TestClock.adjust("3 seconds")
      assert.instanceOf(yield* Fiber.join(fiber), UnavailableError)
      assert.deepStrictEqual(sent(), [])
    }),
  )
})

describe("the key of a message", () => {
  it.effect("differs for another secret, another server and other content", () =>
    Effect.gen(function* () {
      const { carry, clock, engine, sent } = yield* setUp()
      yield* carry("secret", message)
      yield* carry("another secret", message)
      yield* makeCarry(engine, { clock }, "another")("secret", message)
      yield* carry("secret", { ...message, key: ["8f2c"] })
      assert.lengthOf(sent(), 4)
    }),
  )

  it.effect("that is the content is recognized for an hour", () =>
    Effect.gen(function* () {
      const { carry, clock, sent } = yield* setUp()
      const advance = (by: `${number} minutes`) => Effect.promise(() => clock.advance(by))
      // The next hour may begin between two of them.
      for (let repeat = 0; repeat < 3; repeat++) {
        yield* carry("secret", content)
        yield* advance("19 minutes")
      }
      assert.lengthOf(sent(), 1)
      yield* advance("3 minutes")
      yield* carry("secret", content)
      assert.lengthOf(sent(), 2)
      // An id is recognized always.
      yield* carry("secret", message)
      yield* advance("90 minutes")
      yield* carry("secret", message)
      assert.lengthOf(sent(), 3)
    }),
  )
})
