/** An alert has a bound of its own, and tells which value has passed it. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const { alerts, organizations } = countersign

await organizations.update({
  id: "default",
  alerts: { delivered: 95, spend: "500", verified: null },
})

const { items } = await alerts.list()
assert.deepEqual(
  items.map(({ alert, bound, isOwn }) => [alert, bound, isOwn]),
  [
    ["delivered", "95", true],
    ["verified", null, true], // off
    ["spend", "500.00", true],
    ["webhooks", "15", false], // the default, in minutes
  ],
)
assert.equal(items[0]?.openSince, null)

await organizations.update({ id: "default", resetAlerts: ["verified"] })
const { changes } = await organizations.get({ id: "default" })
assert.deepEqual(
  changes.map(({ changedBy, setting }) => [setting, changedBy]),
  [
    ["alerts.delivered", "host"],
    ["alerts.spend", "host"],
  ],
)
