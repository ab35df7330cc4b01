/** A call that is repeated with its key has one effect. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { messages } = countersign

const phoneNumber = "+8801712345679"
const shipped = { phoneNumber, text: "Order 7 has shipped", idempotencyKey: "order-7-shipped" }
const first = await messages.send(shipped)
const second = await messages.send(shipped)
assert.deepEqual(second, first)
assert.equal(gateway.messages(phoneNumber).length, 1)

const other = messages.send({ ...shipped, text: "Order 7 has arrived" })
await assert.rejects(other, { code: "idempotency_mismatch" })
