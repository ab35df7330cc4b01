/** A timeline shows why a person got no code. */
import assert from "node:assert/strict"
import { createCountersign, type Gateway } from "countersign"

const refusing: Gateway = {
  name: "refusing",
  send: () =>
    Promise.resolve({ status: "rejected", reason: "recipient", message: "Number is barred" }),
}
await using countersign = await createCountersign({
  database: "memory",
  gateways: [refusing],
  prices: { sms: "0.50" },
})
const { account, verifications } = countersign
await account.topUp({ amount: "10" })

const phoneNumber = "+8801712345677"
await assert.rejects(verifications.send({ phoneNumber }), { code: "sending_failed" })

const { items } = await verifications.list({ phoneNumber, limit: 1 })
const { timeline } = await verifications.history({ requestId: items[0]?.requestId ?? "" })
assert.deepEqual(
  timeline.map((entry) => [
    entry.kind,
    ...("amount" in entry ? [entry.amount] : []),
    ...("reason" in entry ? [entry.reason] : []),
  ]),
  [
    ["requested"],
    ["created"],
    ["held", "0.50"],
    ["attempt"],
    ["settled", "Number is barred"],
    ["refunded", "0.50"],
    ["failed", "sending"],
  ],
)
