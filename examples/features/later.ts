/** A message waits for its time, and is moved or cancelled until then. */
import assert from "node:assert/strict"
import { createCountersign, createTestClock, developmentGateway } from "countersign"

const clock = createTestClock() // only for tests
const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  clock,
  gateways: [gateway],
})
const { messages } = countersign
const phoneNumber = "+8801712345678"
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000)

const text = "Your parcel comes today."
const expiresAt = inHours(36) // after that, it is dropped
const reminder = messages.prepare({ phoneNumber, text, sendAt: inHours(24), expiresAt })
await reminder.enqueue() // or reminder.statement, in your transaction

const { id } = reminder
assert.equal((await messages.getQueued({ id })).status, "queued")
await messages.reschedule({ id, sendAt: inHours(26) })
await clock.advance("25 hours")
assert.equal(gateway.messages().length, 0)
await clock.advance("1 hour")
assert.equal((await messages.getQueued({ id })).status, "sent")

const other = messages.prepare({ phoneNumber, text, sendAt: inHours(24) })
await other.enqueue()
await messages.cancel({ id: other.id })
await assert.rejects(messages.reschedule({ id: other.id, sendAt: inHours(1) }), {
  code: "not_queued",
})
