/** All data of a phone number is exported, and erased. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { messages, privacy, verifications } = countersign
const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber, metadata: { user: 7 } })
await verifications.verify({ requestId, code: gateway.latestCode(phoneNumber) })
await messages.send({ phoneNumber, text: "Your parcel is here" })

const types: Array<string> = []
for await (const record of privacy.export({ phoneNumber })) {
  types.push(record.type)
  JSON.stringify(record) // one line of a file for the person
}
const events = Array(3).fill("event")
assert.deepEqual(types, ["limits", "message", "message", "verification", ...events])

const erased = await privacy.erase({ phoneNumber })
assert.deepEqual([erased.messages, erased.verifications, erased.left], [2, 1, 0])
const log = (await messages.list()).items.map((message) => message.phoneNumber)
assert.deepEqual(log, ["erased:BD", "erased:BD"])
