/** The audit names the actor of each administrative change. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})

// For each request to your dashboard, once you know who sends it.
const admin = countersign.as({ id: "user_7", origin: "192.0.2.1" })
await admin.audit.record({ action: "login" })
await admin.organizations.update({ id: "default", allowList: ["192.0.2.0/24"] })
await admin.account.topUp({ amount: "10", paymentId: "9F3KQ1", note: "paid online" })
await admin.account.adjust({ amount: "-2.50", note: "chargeback 9F3KQ1" })

const { items: entries } = await countersign.audit.list({ actor: "user_7" })
const newest = entries[0]
assert.deepEqual(
  entries.map(({ action, reason }) => [action, reason]),
  [
    ["account.adjusted", "chargeback 9F3KQ1"],
    ["account.topped_up", "paid online"],
    ["organization.changed", null],
    ["login", null],
  ],
)
assert.deepEqual([newest?.actor, newest?.origin], ["user_7", "192.0.2.1"])
assert.deepEqual([newest?.before?.["balance"], newest?.after?.["balance"]], ["10.00", "7.50"])
