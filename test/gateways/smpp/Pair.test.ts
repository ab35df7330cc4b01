/**
 * The SMPP adapter with a connection for each direction. What holds for one connection as well is in the
 * suite, which it passes; this is about the two.
 */
import { assert, describe } from "@effect/vitest"
import { startSmsc } from "@countersign/testing/Smsc"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../support/gatewayTest.ts"
import { within } from "../../../packages/testing/src/internal/within.ts"
import {
  bound,
  english,
  gatewayOn,
  messageOf,
  ofMessage,
  patient,
  reportsOf,
  turns,
  whileTimePasses,
} from "./support.ts"

describe("a pair of binds", () => {
  test("binds the receiver first, and gets receipts over it", function* () {
    const { gateway, smsc } = yield* bound({ bind: "pair" }, () => ({
      id: "1",
      receipts: [{ id: "1", state: "DELIVRD" }],
    }))
    assert.strictEqual((yield* gateway.send(messageOf()))._tag, "Accepted")
    assert.deepStrictEqual(
      smsc.binds.map(({ command }) => command),
      ["bind_receiver", "bind_transmitter"],
    )
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [
      { of: ofMessage(1), status: "delivered", detail: "DELIVRD" },
    ])
  })

  test.each(["bind_receiver", "bind_transmitter"] as const)(
    "of which %s is refused sends nothing, and closes the other bind",
    function* (refused) {
      const smsc = yield* startSmsc()
      smsc.onBind = ({ command }) => (command === refused ? 0x0d : 0)
      const gateway = yield* gatewayOn(smsc.port, { bind: "pair" })
      assert.deepStrictEqual(yield* gateway.send(messageOf()), {
        _tag: "Rejected",
        reason: "account",
        message: "The gateway refused the bind: ESME_RBINDFAIL (0x0000000d)",
      })
      if (refused === "bind_transmitter") yield* smsc.next("unbind")
      for (const _ of smsc.binds) yield* smsc.next("closed")
      assert.strictEqual(smsc.connected(), 0)
      assert.deepStrictEqual(smsc.received, [])
    },
  )

  test("of which one is lost waits for open answers, and then binds both again", function* () {
    const { gateway, smsc } = yield* bound({ ...patient, bind: "pair", window: 1 }, () => "silence")
    const sending = yield* Effect.forkChild(gateway.send(messageOf()))
    const { sequence } = yield* smsc.next("submit_sm")
    const waiting = yield* Effect.forkChild(gateway.send(messageOf({ sequence: 2 })))
    yield* turns(3)
    // A centre answers what it was handed before it answers the farewell.
    smsc.letsGo = false
    yield* smsc.cut("bind_receiver")
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "NotSent")
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "1" }, sequence)
    assert.deepInclude(yield* Fiber.join(sending), { _tag: "Accepted", gatewayId: "1" })
    assert.strictEqual(smsc.received.length, 1)
    smsc.letsGo = true
    smsc.onSubmit = () => ({ id: "3" })
    for (let bind = 0; bind < 2; bind++) yield* smsc.next("bound")
    for (let bind = 0; bind < 2; bind++) yield* whileTimePasses(smsc.next("bound"))
    yield* turns(3)
    assert.strictEqual((yield* gateway.send(messageOf({ sequence: 3 })))._tag, "Accepted")
  })

  test("of which one is lost sends no further part of a text", function* () {
    const smsc = yield* startSmsc()
    smsc.onSubmit = () => "silence"
    smsc.letsGo = false
    const gateway = yield* gatewayOn(smsc.port, { ...patient, bind: "pair" })
    // Before the adapter is: it would wait for a last word, for which time stands still here.
    yield* Effect.addFinalizer(() => smsc.hangUp)
    const sending = yield* Effect.forkChild(gateway.send(messageOf({ text: english.repeat(6) })))
    const { sequence } = yield* smsc.next("submit_sm")
    yield* smsc.cut("bind_receiver")
    yield* smsc.next("unbind")
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "1" }, sequence)
    assert.deepStrictEqual(yield* within("the outcome", Fiber.join(sending)), {
      _tag: "Unknown",
      message: "Only some of 3 parts were taken: The connection to the gateway was lost",
    })
    assert.strictEqual(smsc.received.length, 1)
  })
})
