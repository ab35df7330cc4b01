/** Totals count messages and verifications for charts. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  prices: { sms: "0.50" },
})
const { account, totals, verifications } = countersign
await account.topUp({ amount: "100" })

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
await verifications.verify({ requestId, code: gateway.latestCode(phoneNumber) })
await verifications.send({ phoneNumber })

const now = Date.now()
const found = await totals.read({
  from: new Date(now - 7 * 86_400_000),
  to: new Date(now + 86_400_000),
  every: "day",
  by: ["country", "outcome"],
})
assert.deepEqual(
  found.map(({ amount, count, country, kind, outcome }) =>
    [kind, country, outcome, count, amount].join(" "),
  ),
  [
    "bookings  top-up 1 100.00",
    "messages BD delivered 2 1.00",
    "requests BD delivered 2 0.00",
    "requests BD opened 2 0.00",
    "requests BD verified 1 0.00", // a conversion of 0.5
  ],
)
