/** Fraud rules find prefixes whose codes are never entered. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  verifications: {
    fraud: {
      prefixDigits: 5,
      window: "1 hour",
      maxSent: 2, // yours: thousands
      minSent: 200,
      minConversion: 0.1,
      action: "record", // "deny" refuses the codes
    },
  },
})
const { fraud, verifications } = countersign

for (const last of [1, 2, 3]) await verifications.send({ phoneNumber: `+880171234567${last}` })
const [finding] = (await fraud.findings()).items
assert.equal(finding?.prefix, "88017")
assert.equal(finding.reason, "velocity")
assert.deepEqual([finding.sent, finding.verified], [2, 0])
