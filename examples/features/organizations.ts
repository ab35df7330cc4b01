/** Each customer of a platform is an organization with its own balance, keys and log. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  defaultOrganization: false, // calls without an organization are refused
  prices: { sms: "0.50" },
})
const { organizations } = countersign

await organizations.create({
  id: "acme",
  senders: { sms: "8809612345678" }, // without one, each request has to name its sender
  allowList: ["203.0.113.0/24"],
})
const { account, apiKeys, messages } = countersign.organization("acme")
// Booked once, even if this is called again.
await account.topUp({ amount: "100", note: "invoice 7", paymentId: "invoice-7" })
const { key } = await apiKeys.create({ name: "backend" }) // shown once, here

const phoneNumber = "+8801712345678"
await messages.send({ phoneNumber, text: "Your appointment is tomorrow." })
assert.equal((await account.balance()).balance, "99.50")

// Its key works from its own addresses, until it does not pay: then it stops, on every node.
const statusFrom = async (clientAddress: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const request = new Request("https://example.com/api/v2/balance", { headers })
  return (await countersign.handle(request, { clientAddress })).status
}
assert.equal(await statusFrom("203.0.113.7"), 200)
assert.equal(await statusFrom("198.51.100.7"), 403)
await organizations.suspend({ id: "acme" })
assert.equal(await statusFrom("203.0.113.7"), 401)
await organizations.resume({ id: "acme" })
assert.equal(await statusFrom("203.0.113.7"), 200)
