/** Fraud rules are tried on past codes before they deny any. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { fraud, verifications } = countersign

for (const last of [1, 2, 3, 4]) {
  const phoneNumber = `+880171234567${last}`
  const { requestId } = await verifications.send({ phoneNumber })
  if (last === 4) await verifications.verify({ requestId, code: gateway.latestCode(phoneNumber) })
}

const { codes, denied, deniedVerified } = await fraud.dryRun({ rules: { maxSent: 2 } })
assert.deepEqual([codes, denied], [4, 2])
assert.equal(deniedVerified, 1) // of a user who entered the code
