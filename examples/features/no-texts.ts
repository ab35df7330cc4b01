/** The database keeps no texts of messages. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  records: { bodies: false },
})
const { messages } = countersign

const send = { phoneNumber: "+8801712345678", text: "Your parcel is here", idempotencyKey: "7" }
await messages.send(send)
await messages.send(send) // is a repeat, although the text is not stored
assert.deepEqual(
  gateway.messages().map(({ text }) => text),
  ["Your parcel is here"],
)
assert.deepEqual(
  (await messages.list()).items.map(({ text }) => text),
  [""],
)
