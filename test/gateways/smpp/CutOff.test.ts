/**
 * What becomes of a text of several parts, of which not all leave, or not at once.
 */
import { assert, describe } from "@effect/vitest"
import { type Reply, startSmsc } from "@countersign/testing/Smsc"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { test } from "../../support/gatewayTest.ts"
import {
  bound,
  delivered,
  english,
  gatewayOn,
  messageOf,
  patient,
  report,
  reportsOf,
  whileTimePasses,
} from "./support.ts"

/** A `submit_sm_resp` with ESME_RINVDSTADR. */
const refusalOf = (sequence: number): Uint8Array => {
  const pdu = Buffer.alloc(17)
  pdu.writeUInt32BE(17, 0)
  pdu.writeUInt32BE(0x80000004, 4)
  pdu.writeUInt32BE(0x0b, 8)
  pdu.writeUInt32BE(sequence, 12)
  return pdu
}

describe("a text whose later parts were not sent", () => {
  const text = english.repeat(6)
  const cutOff = report("undelivered", "Other parts were never sent")
  const ways = (["transceiver", "pair"] as const).flatMap((bind) =>
    (["every part", "first part"] as const).map((receipts) => ({ bind, receipts })),
  )

  test.each(ways)(
    "is never delivered after a late answer to its first part: $bind, $receipts",
    function* (way) {
      const { gateway, smsc } = yield* bound({ ...way, answerTimeout: "1 second" }, () => "silence")
      const sending = yield* Effect.forkChild(gateway.send(messageOf({ text })))
      const { sequence } = yield* smsc.next("submit_sm")
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* Fiber.join(sending))._tag, "Unknown")
      yield* smsc.tell({ command: "submit_sm_resp", messageId: "late" }, sequence)
      yield* smsc.report({ id: "late", state: "DELIVRD" })
      assert.deepStrictEqual(yield* reportsOf(gateway, 1), [cutOff])
      assert.strictEqual(smsc.received.length, 1)
    },
  )

  test.each(ways)(
    "is never delivered after an interrupt during its first part: $bind, $receipts",
    function* (way) {
      const { gateway, smsc } = yield* bound({ ...way, ...patient }, () => "silence")
      const sending = yield* Effect.forkChild(gateway.send(messageOf({ text })))
      const { sequence } = yield* smsc.next("submit_sm")
      yield* Fiber.interrupt(sending)
      yield* smsc.tell({ command: "submit_sm_resp", messageId: "late" }, sequence)
      yield* smsc.report({ id: "late", state: "DELIVRD" })
      assert.deepStrictEqual(yield* reportsOf(gateway, 1), [cutOff])
      assert.strictEqual(smsc.received.length, 1)
    },
  )

  test("is never delivered after the loss of a part", function* () {
    const { gateway, smsc } = yield* bound({ receipts: "first part", window: 1 }, (_, count) =>
      count === 1 ? { id: "1" } : "hang up",
    )
    assert.strictEqual((yield* gateway.send(messageOf({ text })))._tag, "Unknown")
    assert.strictEqual(smsc.received.length, 2)
    yield* smsc.next("bound")
    yield* whileTimePasses(smsc.next("bound"))
    yield* smsc.report(delivered)
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [cutOff])
  })

  test("is never delivered if a refusal follows the first part's receipt", function* () {
    const { gateway } = yield* bound({ receipts: "first part" }, (_, count) =>
      count === 1 ? { id: "1", early: [delivered] } : { status: 0x0b },
    )
    assert.strictEqual((yield* gateway.send(messageOf({ text })))._tag, "Unknown")
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [
      report("undelivered", "Another part was refused"),
    ])
  })

  test("is never delivered if a refusal comes late", function* () {
    const { gateway, smsc } = yield* bound(
      { receipts: "first part", answerTimeout: "5 seconds" },
      (_, count) => (count === 2 ? "silence" : { id: String(count) }),
    )
    const sending = yield* Effect.forkChild(gateway.send(messageOf({ text })))
    yield* smsc.next("submit_sm")
    const { sequence } = yield* smsc.next("submit_sm")
    yield* smsc.next("submit_sm")
    assert.strictEqual((yield* whileTimePasses(Fiber.join(sending)))._tag, "Unknown")
    yield* smsc.write(refusalOf(sequence))
    yield* smsc.report(delivered)
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [
      report("undelivered", "Another part was refused"),
    ])
  })
})

describe("a text whose first part was accepted", () => {
  test("is sent whole and delivered, even if its caller was interrupted", function* () {
    const smsc = yield* startSmsc()
    const replies: ReadonlyArray<Reply> = [
      { id: "1", early: [delivered] },
      { status: 0x58 },
      { id: "3" },
    ]
    smsc.onSubmit = (_, count) => replies[count - 1] ?? { id: "2" }
    const gateway = yield* gatewayOn(smsc.port, { ...patient, receipts: "first part" })
    const text = english.repeat(6)
    const sending = yield* Effect.forkChild(gateway.send(messageOf({ text })))
    for (let part = 0; part < 3; part++) yield* smsc.next("submit_sm")
    yield* Fiber.interrupt(sending)
    yield* whileTimePasses(smsc.next("submit_sm"))
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [report("delivered", "DELIVRD")])
    assert.strictEqual(smsc.received.length, 4)
  })
})
