import { assert, it } from "vitest"
import { whatsappCloud } from "../src/gateways.ts"
import type * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"
import { startVendor } from "./support/vendor.ts"

const { host } = hosts()

it("a payment that WhatsApp's template cannot name is approved by SMS, and WhatsApp stays available", async () => {
  const vendor = await startVendor(() => ({ status: 500, body: "" }))
  const texts: Array<Countersign.OutgoingMessage> = []
  const sms: Countersign.Gateway = {
    name: "sms",
    channels: ["sms"],
    send: async (message) => {
      texts.push(message)
      return { status: "delivered", gatewayId: "1" }
    },
  }
  const chat = whatsappCloud({
    accessToken: "token",
    appSecret: "secret",
    baseUrl: vendor.origin,
    phoneNumberId: "1",
    template: { name: "otp" },
  })
  const { engine } = await host({
    callbacks: { publicUrl: "https://sms.example.com" },
    verifications: { fallback: { reportWithin: "30 seconds" } },
    gateways: [chat, sms],
  })
  const payment = { amount: "BDT 500", payee: "Rahim Store" }
  const sent = await engine.verifications.send({
    phoneNumber: phone(),
    channel: "whatsapp",
    payment,
  })
  assert.strictEqual(sent.channel, "sms")
  assert.deepStrictEqual(vendor.requests, [])
  assert.deepStrictEqual(
    texts.map((one) => one.payment),
    [payment],
  )
  assert.include(texts[0]?.text, "BDT 500 to Rahim Store")
  const { items: messages } = await engine.messages.list({})
  assert.deepStrictEqual(
    messages.map(({ channel, error, status }) => [channel, status, error]),
    [
      ["sms", "delivered", null],
      ["whatsapp", "rejected", "The template of codes cannot name a payment"],
    ],
  )
  const health = await engine.gateways.health()
  assert.isTrue(health.every(({ state }) => state === "available"))
  await engine.dispose()
})
