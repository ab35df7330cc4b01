/**
 * What the SMPP adapter hands over, and what the answers to it mean.
 */
import { assert, describe } from "@effect/vitest"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import type * as Smpp from "@countersign/gateways/Smpp"
import type { Reply } from "@countersign/testing/Smsc"
import { test } from "../../support/gatewayTest.ts"
import { bangla, bound, english, messageOf, patient, whileTimePasses } from "./support.ts"

const accepted = (gatewayId: string, segments = 1): GatewayOutcome => ({
  _tag: "Accepted",
  gatewayId,
  segments,
})

const rejected = (reason: "recipient" | "content" | "sender" | "account", message: string) =>
  ({ _tag: "Rejected", reason, message }) as const

describe("a message", () => {
  test("is submitted on a connection that is bound with the credentials", function* () {
    const { gateway, smsc } = yield* bound({ validity: "3725 seconds", systemType: "OTP" })
    assert.deepStrictEqual(yield* gateway.send(messageOf()), accepted("1"))
    assert.deepInclude(smsc.binds[0], {
      command: "bind_transceiver",
      systemId: "acme",
      password: "secret",
      systemType: "OTP",
      interfaceVersion: 0x34,
    })
    assert.strictEqual(smsc.received[0]?.text, "Your code is 482913")
    assert.deepInclude(smsc.received[0]?.pdu, {
      source: { ton: 5, npi: 0, address: "ACME" },
      destination: { ton: 1, npi: 1, address: "8801712345678" },
      dataCoding: 0,
      esmClass: 0,
      registeredDelivery: 1,
      validity: "000000010205000R",
    })
  })

  test.each<
    readonly [string, { ton: number; npi: number; address: string }, Partial<Smpp.Options>?]
  >([
    ["ACME", { ton: 5, npi: 0, address: "ACME" }],
    ["8809612345678", { ton: 1, npi: 1, address: "8809612345678" }],
    ["+8809612345678", { ton: 1, npi: 1, address: "8809612345678" }],
    ["01712345678", { ton: 2, npi: 1, address: "01712345678" }],
    ["16247", { ton: 3, npi: 0, address: "16247" }],
    ["16247", { ton: 0, npi: 1, address: "16247" }, { shortCode: { ton: 0, npi: 1 } }],
    ["ACME", { ton: 5, npi: 0, address: "OTHER" }, { from: "OTHER" }],
  ])("has the sender %s", function* ([sender, address, options]) {
    const { gateway, smsc } = yield* bound(options)
    yield* gateway.send(messageOf({ sender }))
    assert.deepStrictEqual(smsc.received[0]?.pdu.source, address)
  })

  test.each<readonly [string, Smpp.Options["joining"], number, string]>([
    ["signs", "udh", 1, "[a] {b} ~ € | \\ ^ @£$¥ñà"],
    ["English", "udh", 2, english.repeat(3)],
    ["English", "sar", 2, english.repeat(3)],
    ["English", "payload", 2, english.repeat(3)],
    ["Bangla", "udh", 1, bangla],
    ["Bangla", "udh", 4, bangla.repeat(4)],
    ["Bangla", "sar", 4, bangla.repeat(4)],
    ["Bangla", "payload", 4, bangla.repeat(4)],
    ["extended letters", "udh", 3, "€".repeat(200)],
    ["emoji", "udh", 4, "🙂".repeat(100)],
  ])("in %s arrives unchanged, by %s in %i parts", function* ([_, joining, segments, text]) {
    const { gateway, smsc } = yield* bound({ joining })
    assert.deepStrictEqual(yield* gateway.send(messageOf({ text })), accepted("1", segments))
    const numbered = smsc.received.map((one) => ({
      ...one,
      place: one.tlv(0x020f)?.[0] ?? one.header[5] ?? 1,
    }))
    const inOrder = numbered.toSorted((one, other) => one.place - other.place)
    assert.strictEqual(inOrder.map((one) => one.text).join(""), text)
    assert.strictEqual(smsc.received.length, joining === "payload" ? 1 : segments)
    for (const { pdu } of smsc.received) assert.isAtMost(pdu.message.byteLength, 160)
    if (joining === "udh" && segments > 1) {
      const [first] = smsc.received
      assert.deepStrictEqual(first?.header.slice(0, 3), [5, 0, 3])
      assert.deepStrictEqual(first?.header.slice(4), [segments, 1])
    }
  })

  test("for another channel is refused", function* () {
    const { gateway, smsc } = yield* bound()
    const outcome = yield* gateway.send(messageOf({ channel: "whatsapp" }))
    assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
    assert.deepStrictEqual(smsc.received, [])
  })

  test("is refused if the protocol has no room for its sender", function* () {
    const { gateway } = yield* bound()
    assert.deepStrictEqual(
      yield* gateway.send(messageOf({ sender: "A".repeat(21) })),
      rejected("sender", "SMPP has no room for this sender"),
    )
    assert.deepStrictEqual(yield* gateway.send(messageOf()), accepted("1"))
  })

  test("is left to other gateways if the protocol has no room for a setting", function* () {
    const { gateway, smsc } = yield* bound({ serviceType: "too long" })
    assert.deepStrictEqual(
      yield* gateway.send(messageOf()),
      rejected("sender", "SMPP has no room for this service_type"),
    )
    assert.deepStrictEqual(smsc.received, [])
  })
})

describe("an answer", () => {
  const systemError = "The centre had a system error"
  test.each<
    readonly [number, GatewayOutcome, meaning: string | undefined, Smpp.Options["statuses"]?]
  >([
    [0x08, { _tag: "Unknown", message: "ESME_RSYSERR (0x00000008)" }, systemError],
    [0x0b, rejected("recipient", "ESME_RINVDSTADR (0x0000000b)"), "The recipient is invalid"],
    [
      0x58,
      { _tag: "Throttled", message: "ESME_RTHROTTLED (0x00000058)" },
      "Too many messages at once",
    ],
    [0x400, { _tag: "Unknown", message: "status 0x00000400" }, undefined],
    [0x400, rejected("account", "status 0x00000400"), undefined, { 0x400: "account" }],
    [
      0x08,
      { _tag: "Throttled", message: "ESME_RSYSERR (0x00000008)" },
      systemError,
      { 0x08: "throttled" },
    ],
  ])(
    "of status %d has the meaning of the specification, or of the operator",
    function* ([status, outcome, meaning, own]) {
      const { gateway } = yield* bound({ statuses: own }, () => ({ status }))
      const vendorCode = `0x${status.toString(16).padStart(8, "0")}`
      assert.deepStrictEqual<object>(yield* gateway.send(messageOf()), { ...outcome, vendorCode })
      assert.strictEqual(gateway.meaningOf?.("smpp", vendorCode), meaning)
    },
  )

  test.each<readonly [string, GatewayOutcome["_tag"], ReadonlyArray<Reply>, number]>([
    ["all taken", "Accepted", [{ id: "1" }, { id: "2" }, { id: "3" }], 3],
    ["the first refused", "Rejected", [{ status: 0x0b }], 1],
    ["the first throttled", "Throttled", [{ status: 0x58 }], 1],
    ["the second refused", "Unknown", [{ id: "1" }, { status: 0x0b }, { id: "3" }], 3],
    ["the second lost", "Unknown", [{ id: "1" }, "hang up"], 2],
    [
      "the second throttled for a while",
      "Accepted",
      [{ id: "1" }, { status: 0x58 }, { id: "3" }, { id: "2" }],
      4,
    ],
    [
      "the second throttled for good",
      "Unknown",
      [
        { id: "1" },
        { status: 0x58 },
        { id: "3" },
        { status: 0x58 },
        { status: 0x58 },
        { status: 0x58 },
      ],
      6,
    ],
  ])("to each of three parts, %s, makes the outcome %s", function* ([_, tag, replies, count]) {
    const { gateway, smsc } = yield* bound(patient, (__, at) => replies[at - 1] ?? "silence")
    const outcome = yield* whileTimePasses(gateway.send(messageOf({ text: english.repeat(6) })))
    assert.strictEqual(outcome._tag, tag)
    if (outcome._tag === "Accepted") assert.deepStrictEqual(outcome, accepted("1", 3))
    assert.strictEqual(smsc.received.length, count)
  })
})
