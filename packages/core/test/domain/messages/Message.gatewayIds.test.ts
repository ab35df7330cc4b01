import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Message from "../../../src/domain/messages/Message.ts"

const { now } = Samples

const pending = Samples.message()
const accepted = Samples.message({ status: "accepted", gatewayId: "gw-0" })
const renamed = Samples.message({ status: "accepted", gatewayId: "gw-1" })
const rerouted = Samples.message({ status: "accepted", gatewayId: "gw-0", gateway: "second" })
const contradicted = Samples.message({ status: "accepted", gatewayId: "gw-0", anomalies: 1 })
const unknown = Samples.message({ status: "unknown" })
const delivered = Samples.message({ status: "delivered", gatewayId: "gw-0", dueAt: null })
const failed = Samples.message({ status: "failed", dueAt: null })

const idOf = (gatewayId: string, gateway = "simulated"): Message.GatewayId => ({
  organization: Samples.organizationId,
  sequence: 1,
  gateway,
  gatewayId,
  expiresAt: now + 1,
})

describe("Message.newGatewayId", () => {
  it.each([
    ["is accepted", pending, accepted, idOf("gw-0")],
    ["is accepted after all", unknown, accepted, idOf("gw-0")],
    ["has its id already", accepted, contradicted, undefined],
    ["gets another id", accepted, renamed, idOf("gw-1")],
    ["gets the same id of another gateway", accepted, rerouted, idOf("gw-0", "second")],
    ["may have been sent, without an id", pending, unknown, undefined],
    ["is final when it gets an id", pending, delivered, undefined],
    ["is not sent", pending, failed, undefined],
  ] as const)("of a message that %s", (_, before, after, expected) => {
    assert.deepStrictEqual(Message.newGatewayId(before, after, 1, now), expected)
  })

  it.each([
    [0, now],
    [0.5, now + 1],
    [86_400_000, now + 86_400_000],
    [undefined, null],
    [Infinity, null],
    [Number.MAX_SAFE_INTEGER, null],
    [Number.NaN, null],
  ])("of a gateway whose ids are unique for %s milliseconds expires at %s", (millis, expiresAt) => {
    const id = Message.newGatewayId(pending, accepted, millis, now)
    assert.strictEqual(id?.expiresAt, expiresAt)
  })
})

describe("the id of an entry of the log", () => {
  it("is that of the message and its sequence", () => {
    const id = Message.logId(Samples.message({ sequence: 42 }))
    assert.strictEqual(id, `${Samples.messageId()}_42`)
    assert.strictEqual(Message.sequenceIn(id), 42)
  })

  it.each([
    ["msg_1", 1],
    ["msg_123456789012345", 123_456_789_012_345],
    ["msg_1234567890123456", undefined],
    ["msg_01", undefined],
    ["msg_x", undefined],
    ["msg_1 ", undefined],
    ["", undefined],
  ])("%j has the sequence %s", (id, sequence) => {
    assert.strictEqual(Message.sequenceIn(id), sequence)
  })
})

describe("the next action", () => {
  it.each([
    [null, null, null],
    [1, null, 1],
    [null, 2, 2],
    [1, 2, 1],
    [3, 2, 2],
  ])("of a message due at %s and followed at %s is at %s", (dueAt, followAt, expected) => {
    assert.strictEqual(Message.nextAt({ dueAt, followAt }), expected)
  })
})

describe("a message that another follows", () => {
  const code = Samples.message({ requestId: Samples.requestId() })
  it.each([
    ["after its time", code, 5, now + 5],
    ["at once when it is final", { ...code, dueAt: null }, 5, now],
    ["never without a time", code, undefined, null],
    ["never when it is delivered", { ...code, status: "delivered" as const }, 5, null],
    ["never when it has no code", Samples.message(), 5, null],
  ])("is followed %s", (_, message, millis, followAt) => {
    assert.strictEqual(Message.followWithin(message, millis, now).followAt, followAt)
    const before = { ...message, followAt: 7 }
    assert.strictEqual(Message.followWithin(before, millis, now).followAt, followAt)
  })
})

describe("what stays of a message", () => {
  const over = Samples.message({ dueAt: null, hold: "captured", gatewayId: "gw-1", error: "no" })

  it("is its country and its money", () => {
    assert.deepStrictEqual<unknown>(Message.erase({ ...over, vendorCode: "7" }), {
      ...over,
      phoneNumber: "erased:BD",
      text: "",
      gatewayId: null,
      error: null,
      vendorCode: null,
    })
  })

  it.each([
    ["is due", { dueAt: now }],
    ["is followed", { followAt: now }],
    ["holds money", { hold: "open" as const }],
  ])("is everything while it %s", (_, change) => {
    assert.isUndefined(Message.erase({ ...over, ...change }))
  })

  it("has no text if bodies are not recorded", () => {
    assert.deepStrictEqual(Message.withoutText(over), { ...over, text: "" })
    const empty = { ...over, text: "" }
    assert.strictEqual(Message.withoutText(empty), empty)
  })
})

describe("a message whose outcome comes late", () => {
  const reported = Samples.message({ status: "delivered", hold: "captured", dueAt: null })
  const accepted = { _tag: "Accepted", gatewayId: "late" } as const

  it("gets the gateway's id, and keeps the one that it has", () => {
    const idAfter = (gatewayId: string | null) =>
      Message.settle({ ...reported, gatewayId }, accepted, true).message.gatewayId
    assert.deepStrictEqual([idAfter(null), idAfter("first")], ["late", "first"])
  })
})

describe("a message at its deadline", () => {
  const settleBy = now
  const open = Samples.message({ status: "accepted", settleBy, dueAt: settleBy })

  it("is due later while it is looked up, once", () => {
    const asked = Message.beginLookup(open, 5, now)
    assert.deepStrictEqual(asked, { ...open, dueAt: now + 5 })
    assert.isUndefined(Message.beginLookup({ ...open, dueAt: now + 5 }, 5, now))
    assert.isUndefined(Message.beginLookup(open, 5, now - 1))
    assert.isUndefined(Message.beginLookup(open, 0, now))
  })

  it("is closed when its lookup or the time for it is over", () => {
    const asked = { ...open, dueAt: now + 5 }
    assert.isUndefined(Message.expire(asked, now + 4))
    assert.strictEqual(Message.expire(asked, now + 4, true)?.message.status, "unknown")
    assert.strictEqual(Message.expire(asked, now + 5)?.message.hold, "released")
    assert.isUndefined(Message.expire(open, now - 1, true))
  })
})
