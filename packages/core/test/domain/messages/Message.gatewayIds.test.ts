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
