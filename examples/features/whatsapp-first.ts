/** A code goes out over WhatsApp, and by SMS if WhatsApp has not delivered it. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway, type Gateway } from "countersign"

const sms = developmentGateway()
const whatsapp: Gateway = {
  name: "whatsapp",
  send: () =>
    Promise.resolve({ status: "rejected", reason: "recipient", message: "not on WhatsApp" }),
}
await using countersign = await createCountersign({
  database: "memory",
  gateways: { sms, whatsapp },
  prices: { sms: "0.50", whatsapp: "0.30" },
  verifications: { fallback: { whatsappFirst: true, reportWithin: "20 seconds" } },
})
const { account, messages, verifications } = countersign
await account.topUp({ amount: "10" })

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
await verifications.verify({ requestId, code: sms.latestCode(phoneNumber) })

// The rejected message costs nothing.
const log = (await messages.list()).items
assert.deepEqual(
  log.map(({ channel, price, status }) => [channel, status, price]),
  [
    ["sms", "delivered", "0.50"],
    ["whatsapp", "rejected", "0.00"],
  ],
)
