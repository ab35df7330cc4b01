/** A program follows the events of an organization, and misses none. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { account, events, verifications } = countersign

// Keep it in a table of yours, in the transaction that uses the event.
let last = (await events.list()).last

await account.topUp({ amount: "10", note: "invoice 7" })
const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber, metadata: { order: 7 } })
await verifications.check({ requestId, code: gateway.latestCode(phoneNumber) })

for await (const event of events.follow({ after: last })) {
  assert.equal(event.sequence, last + 1, "Events were dropped before they were read")
  last = event.sequence
  if (event.type === "topped_up") assert.equal(event.balance, "10.00")
  if (event.type === "verification_sent") assert.equal(event.phoneNumber, "+8801*****678")
  if (event.type === "verified") {
    assert.deepEqual(event.metadata, { order: 7 })
    break // A service does not end the loop.
  }
}
