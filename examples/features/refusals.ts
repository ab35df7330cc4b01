/** Refused calls are listed with their reasons. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  prices: { sms: "0.50" },
})
const { organizations, refusals, verifications } = countersign
const phoneNumber = "+8801712345677"

await assert.rejects(verifications.send({ phoneNumber }), { code: "insufficient_balance" })
await organizations.update({ id: "default", blockedPrefixes: ["88017"] })
await assert.rejects(verifications.send({ phoneNumber }), { code: "invalid_request" })

const found = await refusals.list({ phoneNumber })
assert.deepEqual(
  found.items.map(({ code, reason, parameters }) => [code, reason, parameters]),
  [
    ["invalid_request", "prefix_blocked", { field: "phoneNumber" }],
    ["insufficient_balance", null, { required: "0.50", available: "0.00" }],
  ],
)
