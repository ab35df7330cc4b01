/**
 * What receipts over SMPP become.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { assert, describe } from "@effect/vitest"
import type * as Smpp from "@countersign/gateways/Smpp"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Receipt } from "@countersign/testing/Smsc"
import { test } from "../../support/gatewayTest.ts"
import {
  bound,
  delivered,
  english,
  messageOf,
  ofMessage,
  patient,
  report,
  reportsOf,
  turns,
  whileTimePasses,
} from "./support.ts"

const binds = ["transceiver", "pair"] as const

/** The reports that come of these receipts, and of one last that is known to make one. */
const reportsAfter = (
  receipts: ReadonlyArray<Receipt>,
  { count, text, ...options }: { count: number; text?: string } & Partial<Smpp.Options>,
): Effect.Effect<ReadonlyArray<DeliveryReport>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { gateway, smsc } = yield* bound(options)
      yield* gateway.send(messageOf(text === undefined ? {} : { text }))
      for (const receipt of [...receipts, { id: "last", state: "DELIVRD" }]) {
        yield* smsc.report(receipt)
        const answer = yield* smsc.next("deliver_sm_resp")
        assert.strictEqual(answer.status, 0)
      }
      const reports = yield* reportsOf(gateway, count + 1)
      assert.deepStrictEqual(reports.at(-1)?.of, {
        _tag: "GatewayId",
        gateway: "smpp",
        gatewayId: "last",
      })
      return reports.slice(0, -1)
    }),
  )

describe("a receipt", () => {
  test.each<readonly [Receipt["state"], DeliveryReport["status"], string, Partial<Receipt>?]>([
    ["ENROUTE", "accepted", "ENROUTE"],
    ["DELIVRD", "delivered", "DELIVRD"],
    ["EXPIRED", "undelivered", "EXPIRED, error 027", { error: "027" }],
    ["DELETED", "undelivered", "DELETED"],
    ["UNDELIV", "undelivered", "UNDELIV, error 011", { error: "011" }],
    ["ACCEPTD", "accepted", "ACCEPTD"],
    ["UNKNOWN", "accepted", "UNKNOWN"],
    ["REJECTD", "rejected", "REJECTD"],
    ["delivrd", "delivered", "DELIVRD"],
    // Fields beside a text that says something else.
    ["UNDELIV", "undelivered", "UNDELIV", { tlv: true }],
    // An intermediate notification.
    ["ENROUTE", "accepted", "ENROUTE", { esmClass: 0x20 }],
    ["DELIVRD", "delivered", "DELIVRD", { text: "x id:2 stat:UNDELIV err:001 482913" }],
  ])("of %s is read as %s, with %s", function* ([state, status, detail, more]) {
    const reports = yield* reportsAfter([{ id: "1", state, ...more }], { count: 1 })
    assert.deepStrictEqual(reports, [report(status, detail)])
  })

  test.each<readonly [string, string, string, Smpp.Options["ids"]]>([
    ["text", "00Ab", "00Ab", undefined],
    ["hexadecimal and decimal", "1A2B", "6699", { answers: "hexadecimal", receipts: "decimal" }],
    [
      "decimal and hexadecimal",
      "6699",
      "00001a2b",
      { answers: "decimal", receipts: "hexadecimal" },
    ],
    ["decimal with zeros", "77", "0000000077", { answers: "decimal", receipts: "decimal" }],
  ])("finds its message by ids in %s", function* ([_, id, receipted, ids]) {
    const { gateway, smsc } = yield* bound({ ids }, () => ({ id }))
    yield* gateway.send(messageOf())
    yield* smsc.report({ id: receipted, state: "DELIVRD" })
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [report("delivered", "DELIVRD")])
  })

  test("finds its message if the caller was interrupted before the answer", function* () {
    const { gateway, smsc } = yield* bound({}, () => "silence")
    const sending = yield* Effect.forkChild(gateway.send(messageOf()))
    yield* smsc.next("submit_sm")
    yield* Fiber.interrupt(sending)
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "late" }, 2)
    yield* smsc.report({ id: "late", state: "DELIVRD" })
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [report("delivered", "DELIVRD")])
  })

  test.each(binds)("finds its message if it overtakes a late answer, as %s", function* (bind) {
    const { gateway, smsc } = yield* bound({ answerTimeout: "1 second", bind }, () => "silence")
    const sending = yield* Effect.forkChild(gateway.send(messageOf()))
    const { sequence } = yield* smsc.next("submit_sm")
    yield* TestClock.adjust(2_000)
    assert.strictEqual((yield* Fiber.join(sending))._tag, "Unknown")
    yield* smsc.report({ id: "late", state: "DELIVRD" })
    yield* smsc.next("deliver_sm_resp")
    yield* smsc.tell({ command: "submit_sm_resp", messageId: "late" }, sequence)
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [report("delivered", "DELIVRD")])
  })

  test("has the centre's id if its message is no longer tracked", function* () {
    const { gateway, smsc } = yield* bound({ maxTracked: 2, name: "mine" })
    for (const sequence of [1, 2, 3]) yield* gateway.send(messageOf({ sequence }))
    for (const id of ["1", "2", "3"]) yield* smsc.report({ id, state: "DELIVRD" })
    const reports = yield* reportsOf(gateway, 3)
    assert.deepStrictEqual(
      reports.map(({ of }) => of),
      [{ _tag: "GatewayId", gateway: "mine", gatewayId: "1" }, ofMessage(2), ofMessage(3)],
    )
  })

  test("beyond the queue is answered with an error, so that the centre repeats it", function* () {
    const { gateway, smsc } = yield* bound()
    yield* gateway.send(messageOf())
    for (let count = 0; count < 10_000; count++) yield* smsc.report({ id: "1", state: "ENROUTE" })
    for (let count = 0; count < 10_000; count++) {
      assert.strictEqual((yield* smsc.next("deliver_sm_resp")).status, 0)
    }
    yield* smsc.report(delivered)
    assert.strictEqual((yield* smsc.next("deliver_sm_resp")).status, 0x64)
  })
})

describe("the receipts of three parts", () => {
  const text = english.repeat(6)
  const of = (id: string, state: string): Receipt => ({ id, state })

  test.each<readonly [string, ReadonlyArray<Receipt>, ReadonlyArray<DeliveryReport>]>([
    ["two of them delivered say nothing", [of("1", "DELIVRD"), of("3", "DELIVRD")], []],
    [
      "one of them delivered three times says nothing",
      [of("1", "DELIVRD"), of("1", "DELIVRD"), of("1", "DELIVRD")],
      [],
    ],
    [
      "all of them delivered say so, once",
      [of("3", "DELIVRD"), of("1", "DELIVRD"), of("2", "DELIVRD"), of("2", "DELIVRD")],
      [report("delivered", "DELIVRD")],
    ],
    [
      "one of them undelivered says so, at once and once",
      [of("2", "UNDELIV"), of("1", "DELIVRD"), of("3", "UNDELIV")],
      [report("undelivered", "A part: UNDELIV")],
    ],
    ["one of them on its way says so", [of("2", "ENROUTE")], [report("accepted", "ENROUTE")]],
  ])("%s", function* ([_, receipts, expected]) {
    assert.deepStrictEqual(
      yield* reportsAfter(receipts, { count: expected.length, text }),
      expected,
    )
  })

  test("counts for the whole text if only the first part requests one", function* () {
    const { gateway, smsc } = yield* bound({ receipts: "first part" })
    yield* gateway.send(messageOf({ text }))
    assert.deepStrictEqual(
      smsc.received.map(({ pdu }) => pdu.registeredDelivery),
      [1, 0, 0],
    )
    yield* smsc.report(delivered)
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [report("delivered", "DELIVRD")])
  })

  test("never make a text with a refused part delivered", function* () {
    const { gateway, smsc } = yield* bound(patient, (_, count) =>
      count === 2 ? { status: 0x0b } : { id: String(count) },
    )
    const outcome = yield* gateway.send(messageOf({ text }))
    assert.strictEqual(outcome._tag, "Unknown")
    yield* smsc.report(delivered)
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [
      report("undelivered", "Another part was refused"),
    ])
  })
})

describe("a receipt with an unknown id", () => {
  test("is reported when the possible answers have come or are overdue", function* () {
    const { gateway, smsc } = yield* bound({ answerTimeout: "4 seconds" }, () => "silence")
    yield* Effect.forkChild(gateway.send(messageOf()))
    yield* smsc.next("submit_sm")
    yield* smsc.report({ id: "elsewhere", state: "DELIVRD" })
    yield* smsc.next("deliver_sm_resp")
    yield* turns(3)
    const [report] = yield* whileTimePasses(reportsOf(gateway, 1))
    assert.deepStrictEqual(report?.of, {
      _tag: "GatewayId",
      gateway: "smpp",
      gatewayId: "elsewhere",
    })
  })
})
