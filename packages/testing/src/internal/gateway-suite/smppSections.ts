/**
 * Tests for adapters that bind to a message centre.
 */
import { Reports } from "@countersign/core/services/Reports"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import type { Receipt, Smsc } from "../../Smsc.ts"
import * as TestEngine from "../../TestEngine.ts"
import { deliverOf } from "../smsc/messages.ts"
import { encode, frame } from "../smsc/pdu.ts"
import { within } from "../within.ts"
import type { Play, Test } from "./plan.ts"
import { reportsOf, type Staged, type SmppStage } from "./smppStage.ts"
import { code, message, text } from "./subject.ts"
import { engineOver, sendOver, stateOf } from "./support.ts"

const nothing = (): void => {}

/** Lets time pass until the adapter is bound again. */
const untilBound = (smsc: Smsc): Effect.Effect<void> =>
  within(
    "a bind after the connection was lost",
    Effect.gen(function* () {
      const bound = yield* Effect.forkChild(smsc.next("bound"), { startImmediately: true })
      while (bound.pollUnsafe() === undefined) {
        yield* TestClock.adjust("100 millis")
        for (let turn = 0; turn < 10; turn++) yield* Effect.promise(() => setImmediate())
      }
      yield* Fiber.join(bound)
    }),
  )

/** A successful send proves that the adapter is bound. */
const send = ({ adapter }: SmppStage, { message: sample }: Play, number = 1) =>
  adapter.gateway.send(message({ ...sample, ref: { ...sample.ref, sequence: number } }))

/** Tests the bind, its loss and its end. */
export const connectionSection = (
  test: Test,
  staged: Staged,
  accepted: Play,
  credentials: { readonly systemId: string; readonly password: string },
): void => {
  test("is bound once, with its credentials, and carries several messages", function* () {
    const stage = yield* staged(nothing)
    for (const number of [1, 2, 3]) {
      assert.strictEqual((yield* send(stage, accepted, number))._tag, "Accepted")
    }
    const { binds } = stage.smsc
    for (const bind of binds) assert.deepInclude(bind, { ...credentials, interfaceVersion: 0x34 })
    const ways = binds.map(({ command }) => command).toSorted()
    const isOne = ways.length === 1 && ways[0] === "bind_transceiver"
    if (!isOne) assert.deepStrictEqual(ways, ["bind_receiver", "bind_transmitter"])
  })

  test("answers enquire_link", function* () {
    const stage = yield* staged(nothing)
    yield* send(stage, accepted)
    yield* stage.smsc.tell({ command: "enquire_link" }, 77)
    assert.deepInclude(yield* stage.smsc.next("enquire_link_resp"), { status: 0, sequence: 77 })
  })

  test("rejects an unknown request, with its sequence number", function* () {
    const stage = yield* staged(nothing)
    yield* send(stage, accepted)
    yield* stage.smsc.write(frame(0x0103, 0, 42))
    // ESME_RINVCMDID
    const nack = yield* stage.smsc.next("generic_nack")
    assert.deepInclude(nack, { status: 0x03, sequence: 42 })
  })

  test("does not answer a response", function* () {
    const stage = yield* staged(nothing)
    yield* send(stage, accepted)
    yield* stage.smsc.write(frame(0x80000103, 0, 42))
    yield* stage.smsc.write(frame(0x80000004, 0, 43, Buffer.from("an id without an end")))
    yield* stage.smsc.write(frame(0x0103, 0, 44))
    assert.strictEqual((yield* stage.smsc.next("generic_nack")).sequence, 44)
  })

  test("unbinds when its scope closes, and sends nothing afterwards", function* () {
    const scope = yield* Scope.make()
    const stage = yield* Scope.provide(staged(nothing, { isPolite: true }), scope)
    yield* send(stage, accepted)
    yield* Scope.close(scope, Exit.void)
    yield* stage.smsc.next("unbind")
    assert.strictEqual((yield* send(stage, accepted, 2))._tag, "NotSent")
    assert.strictEqual(stage.smsc.received.length, 1)
  })

  for (const [title, lose] of [
    ["was cut", (smsc: Smsc) => smsc.hangUp],
    ["the centre has unbound", (smsc: Smsc) => smsc.tell({ command: "unbind" })],
    ["cannot be read any more", (smsc: Smsc) => smsc.write(frame(1, 0, 1).fill(0xff, 0, 4))],
  ] as const) {
    test(`comes back after a connection that ${title}`, function* (tell) {
      const stage = yield* staged(nothing)
      const { smsc } = stage
      yield* send(stage, accepted)
      const count = smsc.binds.length
      for (let bind = 0; bind < count; bind++) yield* smsc.next("bound")
      yield* lose(smsc)
      for (let bind = 0; bind < count; bind++) yield* smsc.next("closed")
      const meanwhile = yield* send(stage, accepted, 2)
      tell(meanwhile)
      // The adapter may not have noticed the loss, so it cannot be certain.
      assert.include(["NotSent", "Unknown"], meanwhile._tag)
      assert.strictEqual(smsc.received.length, 1)
      for (let bind = 0; bind < count; bind++) yield* untilBound(smsc)
      assert.strictEqual((yield* send(stage, accepted, 3))._tag, "Accepted")
    })
  }
}

/** Receipts that cannot be parsed. */
const unreadable: ReadonlyArray<readonly [title: string, bytes: (sequence: number) => Uint8Array]> =
  [
    ["ends in the middle of a field", (sequence) => frame(5, 0, sequence, Buffer.from("\0\x01"))],
    ["has no body", (sequence) => frame(5, 0, sequence)],
    ["is garbage", (sequence) => frame(5, 0, sequence, Buffer.alloc(300, 0xff))],
    [
      "is of no known kind of receipt",
      (sequence) =>
        encode({
          ...deliverOf({ id: "", state: "" }),
          status: 0,
          sequence,
          message: Uint8Array.from({ length: 254 }, (_, at) => at),
          tlvs: [{ tag: 0x0427, value: new Uint8Array() }],
        }),
    ],
  ]

/** Tests special receipts. */
export const receiptsSection = (
  test: Test,
  staged: Staged,
  accepted: Play,
  hasReceipts: boolean,
): void => {
  test("come from the centre only: there is no reader of requests, and no signature", function* () {
    const { adapter } = yield* staged(nothing)
    assert.isUndefined(adapter.callback)
    assert.strictEqual(adapter.gateway.capabilities.reports, hasReceipts ? "signed" : "none")
  })

  test(`are ${hasReceipts ? "" : "not "}requested`, function* () {
    const stage = yield* staged(nothing)
    yield* send(stage, accepted)
    // The two lowest bits: 1 for every result, 2 for failures only.
    const requested = (stage.smsc.received[0]?.pdu.registeredDelivery ?? 0) & 0x03
    assert.strictEqual(requested, hasReceipts ? 1 : 0)
  })

  if (!hasReceipts) return

  /** Returns the engine's log entry after this receipt for an accepted message. */
  const after = (tell: (value: unknown) => void, receipt: Receipt) =>
    Effect.gen(function* () {
      const stage = yield* staged(nothing)
      return yield* Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        yield* sendOver(organization, accepted.message)
        yield* stage.smsc.report(receipt)
        assert.strictEqual((yield* stage.smsc.next("deliver_sm_resp")).status, 0)
        const reports = yield* reportsOf(stage, stage.smsc)
        tell(reports)
        for (const report of reports) yield* Reports.use((_) => _.receive(report))
        return { log: (yield* stateOf(organization)).log, reports }
      }).pipe(Effect.provide(engineOver(stage.adapter.gateway)))
    })

  const delivered = { id: "1", state: "DELIVRD" }
  const undelivered = { id: "1", state: "UNDELIV", error: "011" }
  const lookalike = `x id:2 stat:UNDELIV err:${code} text:${text}`
  const receipts: ReadonlyArray<readonly [string, Receipt, string]> = [
    ["that quotes the code", { ...delivered, text }, "delivered"],
    ["that quotes the code, in fields", { ...undelivered, text, tlv: true }, "undelivered"],
    ["that quotes what looks like a receipt", { ...delivered, text: lookalike }, "delivered"],
    ["whose text is in a field of its own", { ...undelivered, payload: true, text }, "undelivered"],
    ["on an unknown message", { ...delivered, id: "99" }, "accepted"],
    ["of an unknown state", { ...delivered, state: "SKIPPED" }, "accepted"],
    ["without an id", { ...delivered, id: "" }, "accepted"],
    ["that is an SMS from a phone", { ...delivered, esmClass: 0 }, "accepted"],
  ]
  for (const [title, receipt, log] of receipts) {
    test(`${title} leave a message ${log}`, function* (tell) {
      const { log: found } = yield* after(tell, receipt)
      assert.strictEqual(found, log)
    })
  }

  test("on unknown messages are reported with the centre's id", function* () {
    const { reports } = yield* after(nothing, { ...delivered, id: "99" })
    assert.deepStrictEqual(
      reports.map(({ of }) => (of._tag === "GatewayId" ? of.gatewayId : of)),
      ["99"],
    )
  })

  for (const tlv of [false, true]) {
    const form = tlv ? "in fields" : "as text"
    test(`that overtake the answer find their message, ${form}`, function* (tell) {
      const stage = yield* staged((smsc) => {
        smsc.onSubmit = () => ({ id: "1", early: [{ ...delivered, tlv, text }] })
      })
      yield* Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        yield* sendOver(organization, accepted.message)
        const reports = yield* within(
          "the report of a receipt that came before the answer",
          Stream.runCollect(Stream.take(stage.adapter.gateway.reports, 1)),
        )
        tell(reports)
        for (const report of reports) yield* Reports.use((_) => _.receive(report))
        assert.strictEqual((yield* stateOf(organization)).log, "delivered")
      }).pipe(Effect.provide(engineOver(stage.adapter.gateway)))
    })
  }

  for (const [title, bytes] of unreadable) {
    test(`of which one ${title} are answered, and the next one is processed`, function* () {
      const stage = yield* staged(nothing)
      const { smsc } = stage
      yield* send(stage, accepted)
      yield* smsc.write(bytes(501))
      const answer = yield* Effect.raceFirst(
        smsc.next("generic_nack"),
        smsc.next("deliver_sm_resp"),
      )
      assert.strictEqual(answer.sequence, 501)
      yield* smsc.report(delivered)
      yield* smsc.next("deliver_sm_resp")
      const reports = yield* reportsOf(stage, smsc)
      assert.deepStrictEqual(
        reports.map(({ status }) => status),
        ["delivered"],
      )
    })
  }
}
