/** An organization sends as its approved senders. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { messages, senders } = countersign
const phoneNumber = "+8801712345678"

const { id } = await senders.create({ kind: "masking", value: "ACME", status: "pending" })
const send = () => messages.send({ phoneNumber, text: "Your parcel is here.", sender: "ACME" })
await assert.rejects(send(), { code: "sender_unusable" })

await senders.update({ id, status: "approved" })
await send()
assert.equal(gateway.messages(phoneNumber)[0]?.sender, "ACME")

await senders.withdraw({ id })
await assert.rejects(send(), { code: "sender_unusable" })
