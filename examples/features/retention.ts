/** Messages and requests are dropped when their time is over. */
import assert from "node:assert/strict"
import { createCountersign, createTestClock, developmentGateway } from "countersign"

const gateway = developmentGateway()
const clock = createTestClock()
await using countersign = await createCountersign({
  database: "memory",
  clock,
  gateways: [gateway],
  retention: { messages: "365 days", verifications: "30 days" },
})
const { messages, verifications } = countersign

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
await verifications.verify({ requestId, code: gateway.latestCode(phoneNumber) })
const isStored = () =>
  verifications.get({ requestId }).then(
    () => true,
    () => false,
  )

await clock.advance("29 days")
assert.equal(await isStored(), true)
await clock.advance("1 day")
while (await isStored()) await clock.advance("1 hour") // until the next round in the background
assert.equal((await messages.list()).items.length, 1)
