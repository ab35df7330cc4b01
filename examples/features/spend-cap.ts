/** The spending of an organization in a day has a limit. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  prices: { sms: "0.50" },
  limits: { spendPerDay: "500" }, // of every organization
})
const { account, messages, organizations } = countersign
await account.topUp({ amount: "100" })
await organizations.update({ id: "default", limits: { spendPerDay: "1.00" } })

const send = () => messages.send({ phoneNumber: "+8801712345678", text: "hello" })
await send()
await send()
await assert.rejects(send(), { code: "rate_limited", reason: "spending" })

// A limit of its own ends with a reset.
await organizations.update({ id: "default", resetLimits: ["spendPerDay"] })
await send()
