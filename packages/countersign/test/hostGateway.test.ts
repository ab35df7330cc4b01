import type { Inquiry } from "@countersign/core/Gateway"
import { MessageId, OrganizationId } from "@countersign/core/Ids"
import { fromE164 } from "@countersign/core/PhoneNumber"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import type { Gateway } from "../src/index.ts"
import * as HostGateway from "../src/internal/gateways.ts"

const message: Inquiry = {
  token: MessageId("msg_1"),
  ref: { organization: OrganizationId("acme"), number: 7 },
  purpose: "message",
  channel: "sms",
  to: fromE164("+8801712345678"),
  sender: "ACME",
  taken: null,
}

const silent: Gateway = {
  name: "own",
  send: () => Promise.reject(new Error("is not asked to send")),
}

describe("the ids of a gateway", () => {
  const counting = { ...silent, idMillis: 60_000 }

  it.each([
    ["the gateway's own time", HostGateway.member(counting), 60_000],
    ["ever, where the gateway says nothing", HostGateway.member(silent), Infinity],
    ["the shorter time of two", HostGateway.pair({ sms: counting, whatsapp: silent }), 60_000],
  ])("are unique for %s", (_, { capabilities }, idMillis) => {
    assert.strictEqual(capabilities.idMillis, idMillis)
  })
})

describe("a message whose end nobody has seen", () => {
  it("is looked up by what it was handed with, where the gateway can be asked", async () => {
    const asked: Array<unknown> = []
    const gateway = HostGateway.member({
      ...silent,
      lookup: async (about) => {
        asked.push(about)
        return { status: "not_sent", message: "The vendor has never had it" }
      },
    })
    assert.isTrue(gateway.capabilities.lookup)
    const outcome = await Effect.runPromise(gateway.lookup(message))
    assert.deepStrictEqual(outcome, { _tag: "NotSent", message: "The vendor has never had it" })
    const { ref, taken: _, ...about } = message
    assert.deepStrictEqual(asked, [{ ...about, ...ref, gatewayId: null }])
  })

  it("is looked up by its name at the gateway, once that is known", async () => {
    const gateway = HostGateway.member({
      ...silent,
      lookup: async ({ gatewayId }) => ({
        status: "undelivered",
        message: `no trace of ${gatewayId}`,
      }),
    })
    const taken = { gateway: "own", gatewayId: "v-1" }
    assert.deepStrictEqual(await Effect.runPromise(gateway.lookup({ ...message, taken })), {
      _tag: "Reported",
      status: "undelivered",
      detail: "no trace of v-1",
    })
  })

  it("is unknown where the gateway cannot be asked, or throws", async () => {
    const mute = HostGateway.pair({ sms: silent })
    assert.isFalse(mute.capabilities.lookup)
    const throwing = HostGateway.pair({
      whatsapp: silent,
      sms: { ...silent, lookup: () => Promise.reject(new Error("secret words")) },
    })
    for (const gateway of [mute, throwing]) {
      const outcome = await Effect.runPromise(gateway.lookup(message))
      assert.strictEqual(outcome._tag, "Unknown")
      assert.notInclude(JSON.stringify(outcome), "secret words")
    }
  })
})
