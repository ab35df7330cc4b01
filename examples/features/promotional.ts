/** Promotional messages use their own sender, and do not go to numbers that have opted out. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { messages, optOuts, organizations, senders } = countersign
const phoneNumber = "+8801712345678"
const offer = { phoneNumber, text: "Half price until Friday.", sender: "SHOP" } as const

await senders.create({ kind: "masking", value: "SHOP", class: "promotional" })
await assert.rejects(messages.send(offer), { code: "sender_unusable" })
await messages.send({ ...offer, class: "promotional" })

const { changed } = await optOuts.add({ phoneNumbers: [phoneNumber] })
assert.equal(changed, 1)
await assert.rejects(messages.send({ ...offer, class: "promotional" }), { code: "opted_out" })
await messages.send({ phoneNumber, text: "Your parcel is here." })
assert.equal(gateway.messages(phoneNumber).length, 2)

const quietHours = { promotional: { from: "22:00", to: "08:00" } }
const { quietHours: stored } = await organizations.update({ id: "default", quietHours })
assert.deepEqual(stored, quietHours)
