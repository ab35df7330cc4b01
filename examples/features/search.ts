/** Support finds the messages to a phone number. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const { messages, verifications } = countersign

const phoneNumber = "+8801712345670"
await verifications.send({ phoneNumber })
for (const order of [7, 8]) {
  await messages.send({ phoneNumber, text: `Order ${order} has shipped` })
}

const texts: Array<string | null> = []
for await (const { text } of messages.list({ phoneNumber, limit: 2 })) texts.push(text)
assert.deepEqual(texts.slice(0, 2), ["Order 8 has shipped", "Order 7 has shipped"])
assert.match(texts[2] ?? "", /^•••••• is your verification code\./) // the log has no codes

const page = await verifications.list({ phoneNumber, statuses: ["pending"] })
assert.equal(page.items.length, 1)
