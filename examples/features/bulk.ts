/** A text goes to many recipients, after an estimate of its price. */
import assert from "node:assert/strict"
import { createCountersign, createTestClock, developmentGateway } from "countersign"

const clock = createTestClock() // only for tests
const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  clock,
  gateways: [gateway],
  prices: { sms: "0.5" },
})
const { account, batches, messages } = countersign
await account.topUp({ amount: "10" })

// from a query or a file; read once
const rows = async function* () {
  yield { phoneNumber: "+8801712345678", values: { name: "Salma" } }
  yield { phoneNumber: "+8801712345679", values: { name: "Rafi" } }
  yield { phoneNumber: "+8801712345678", values: { name: "Salma" } } // again: one message
  yield { phoneNumber: "+880171", values: { name: "Mina" } } // refused, with its reason
}
const text = "Dear {name}, the shop closes at noon tomorrow."
const { estimate } = await messages.estimate({ recipients: rows(), text })
assert.deepEqual([estimate.price, estimate.isCovered], ["1.00", true])

const idempotencyKey = "closing-2027-01-31" // a repeat goes on where the first call ended
const sent = await messages.sendMany({ recipients: rows(), text, idempotencyKey })
assert.deepEqual([sent.recipients, sent.duplicates, sent.refused], [2, 1, 1])

const read = () => batches.get({ id: sent.batchId })
while ((await read()).status !== "done") await clock.advance("1 second")
const { outcomes, spent } = await read()
assert.deepEqual([outcomes[0]?.outcome, outcomes[0]?.count, spent], ["delivered", 2, "1.00"])
assert.ok(gateway.messages().some((message) => message.text.startsWith("Dear Rafi,")))
