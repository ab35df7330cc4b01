/** A code approves one payment, which its text names. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { verifications } = countersign
const phoneNumber = "+8801712345678"

// The user leaves the first payment.
const left = await verifications.send({ phoneNumber, purpose: "pay" })
await verifications.cancel({ requestId: left.requestId })

const { requestId } = await verifications.send({
  phoneNumber,
  purpose: "pay",
  metadata: { order: 7 },
  payment: { amount: "BDT 500", payee: "Rahim Store" },
})
assert.match(gateway.messages(phoneNumber)[0]?.text ?? "", /BDT 500 to Rahim Store/)

// The code does not sign in, and pays once.
const code = gateway.latestCode(phoneNumber) // what the user types
const login = verifications.verify({ requestId, code, purpose: "login" })
await assert.rejects(login, { code: "request_not_found" })
const { metadata } = await verifications.verify({ requestId, code, purpose: "pay" })
assert.deepEqual(metadata, { order: 7 })
const again = verifications.verify({ requestId, code, purpose: "pay" })
await assert.rejects(again, { code: "already_consumed" })
