/**
 * How the SMPP adapter is bound to a message centre, and the pace at which it hands messages over.
 */
import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { test } from "../../support/gatewayTest.ts"
import { selfSigned } from "../../../packages/testing/src/internal/gateway-suite/certificate.ts"
import { startSmsc } from "@countersign/testing/Smsc"
import { bound, gatewayOn, messageOf, patient, sendAll, turns, whileTimePasses } from "./support.ts"

describe("the connection", () => {
  test("that breaks leaves submitted messages unknown, and sends no others", function* () {
    const { gateway, smsc } = yield* bound({ window: 1 }, () => "silence")
    const first = yield* Effect.forkChild(gateway.send(messageOf()))
    yield* smsc.next("submit_sm")
    const second = yield* Effect.forkChild(gateway.send(messageOf({ sequence: 2 })))
    yield* turns(3)
    yield* smsc.hangUp
    assert.deepStrictEqual(yield* Fiber.join(first), {
      _tag: "Unknown",
      message: "The connection ended before the answer",
    })
    assert.strictEqual((yield* Fiber.join(second))._tag, "NotSent")
    assert.strictEqual(smsc.received.length, 1)
  })

  test("is opened again with growing pauses while that fails", function* () {
    const { gateway, smsc } = yield* bound({ ...patient, maxRetryDelay: "10 seconds" })
    assert.strictEqual((yield* gateway.send(messageOf()))._tag, "Accepted")
    yield* smsc.next("bound")
    smsc.onBind = () => 0x0d
    yield* smsc.hangUp
    yield* whileTimePasses(
      Effect.promise(async (signal) => {
        while (smsc.binds.length < 4 && !signal.aborted) await Effect.runPromise(turns(1))
      }),
    )
    const start = yield* Clock.currentTimeMillis
    yield* whileTimePasses(
      Effect.promise(async (signal) => {
        while (smsc.binds.length < 9 && !signal.aborted) await Effect.runPromise(turns(1))
      }),
    )
    // Five pauses: 4, 8 and three times 10 seconds, or down to half of each.
    assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 15_000)
    smsc.onBind = () => 0
    yield* whileTimePasses(smsc.next("bound"))
    yield* turns(3)
    assert.strictEqual((yield* gateway.send(messageOf({ sequence: 2 })))._tag, "Accepted")
  })

  test("is opened with growing pauses if the centre binds and hangs up", function* () {
    const { gateway, smsc } = yield* bound({ ...patient, maxRetryDelay: "10 seconds" })
    assert.strictEqual((yield* gateway.send(messageOf()))._tag, "Accepted")
    yield* smsc.next("bound")
    const start = yield* Clock.currentTimeMillis
    for (let round = 0; round < 5; round++) {
      yield* smsc.hangUp
      yield* whileTimePasses(smsc.next("bound"))
    }
    // Five pauses: 1, 2, 4, 8 and 10 seconds, or down to half of each.
    assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 12_000)
  })

  test("is probed every half minute, and closed without an answer", function* () {
    const { gateway, smsc } = yield* bound()
    yield* gateway.send(messageOf())
    yield* smsc.next("bound")
    for (let round = 0; round < 3; round++) {
      yield* whileTimePasses(smsc.next("enquire_link"), 1_000)
    }
    assert.isAtLeast(yield* Clock.currentTimeMillis, 90_000)
    assert.strictEqual(smsc.binds.length, 1)
    smsc.isAwake = false
    yield* whileTimePasses(smsc.next("closed"), 1_000)
    yield* whileTimePasses(smsc.next("bound"), 1_000)
  })

  test("ends at a length that no PDU can have, with a nack", function* () {
    const { gateway, smsc } = yield* bound()
    yield* gateway.send(messageOf())
    yield* smsc.write(Uint8Array.of(0, 0, 0, 15))
    assert.deepInclude(yield* smsc.next("generic_nack"), { status: 0x02 })
    yield* smsc.next("closed")
  })

  test("uses TLS with a verified centre only", function* () {
    const { cert, key } = selfSigned()
    const smsc = yield* startSmsc({ tls: { cert, key } })
    const trusting = yield* gatewayOn(smsc.port, { tls: { ca: cert, servername: "localhost" } })
    assert.strictEqual((yield* trusting.send(messageOf()))._tag, "Accepted")
    const doubting = yield* gatewayOn(smsc.port, { tls: true })
    const outcome = yield* doubting.send(messageOf())
    assert.deepInclude(outcome, { _tag: "NotSent" })
    assert.strictEqual(smsc.binds.length, 1)
  })

  test("rejects a password that the protocol has no room for", function* () {
    const exit = yield* Effect.exit(gatewayOn(1, { password: Redacted.make("much too long") }))
    assert.isTrue(Exit.hasDies(exit))
    assert.notInclude(String(exit), "much too long")
  })
})

describe("the rate", () => {
  test("has at most the window of open messages", function* () {
    const { gateway, smsc } = yield* bound({ window: 3 }, () => "silence")
    const sending = yield* Effect.forkChild(sendAll(gateway, 6))
    for (let count = 0; count < 3; count++) yield* smsc.next("submit_sm")
    yield* turns(20)
    assert.strictEqual(smsc.received.length, 3)
    // An answer makes room for one more.
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "a" }, 2)
    yield* smsc.next("submit_sm")
    yield* turns(20)
    assert.strictEqual(smsc.received.length, 4)
    yield* smsc.hangUp
    const outcomes = (yield* Fiber.join(sending)).map(({ _tag }) => _tag).toSorted()
    const expected = "Accepted NotSent NotSent Unknown Unknown Unknown"
    assert.strictEqual(outcomes.join(" "), expected)
  })

  test("stays within the messages per second", function* () {
    const { gateway } = yield* bound({ ...patient, perSecond: 5 })
    const sending = yield* Effect.forkChild(sendAll(gateway, 11))
    const outcomes = yield* whileTimePasses(Fiber.join(sending), 50)
    assert.isTrue(outcomes.every(({ _tag }) => _tag === "Accepted"))
    assert.isAtLeast(yield* Clock.currentTimeMillis, 2_000)
    assert.isAtMost(yield* Clock.currentTimeMillis, 3_000)
  })

  test("rejects messages that would wait for too long, or exceed the queue", function* () {
    const { gateway, smsc } = yield* bound(
      { window: 1, maxQueued: 2, queueTimeout: "2 seconds" },
      () => "silence",
    )
    yield* Effect.forkChild(gateway.send(messageOf()))
    yield* smsc.next("submit_sm")
    const waiting = yield* Effect.forkChild(
      Effect.forEach([2, 3], (sequence) => gateway.send(messageOf({ sequence })), {
        concurrency: "unbounded",
      }),
    )
    yield* turns(3)
    const crowded = {
      _tag: "Throttled",
      message: "Too many messages wait for the gateway",
    } as const
    assert.deepStrictEqual(yield* gateway.send(messageOf({ sequence: 4 })), crowded)
    assert.deepStrictEqual(yield* whileTimePasses(Fiber.join(waiting)), [crowded, crowded])
    assert.strictEqual(smsc.received.length, 1)
  })

  test("never sends a message whose caller was interrupted", function* () {
    const { gateway, smsc } = yield* bound({ window: 1 }, (_, count) =>
      count === 1 ? "silence" : { id: String(count) },
    )
    yield* Effect.forkChild(gateway.send(messageOf({ text: "first" })))
    yield* smsc.next("submit_sm")
    const second = yield* Effect.forkChild(gateway.send(messageOf({ text: "second" })))
    yield* turns(3)
    yield* Fiber.interrupt(second)
    const third = yield* Effect.forkChild(gateway.send(messageOf({ text: "third" })))
    yield* turns(3)
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "1" }, 2)
    yield* Fiber.join(third)
    assert.deepStrictEqual(
      smsc.received.map(({ text }) => text),
      ["first", "third"],
    )
  })
})
