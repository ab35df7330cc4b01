/** An organization blocks prefixes of phone numbers, and exempts others from the fraud rules. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const { organizations, verifications } = countersign

await organizations.update({
  id: "default",
  blockedPrefixes: ["88017"],
  allowedPrefixes: ["88017123"], // the longest prefix of a number decides
})
await verifications.send({ phoneNumber: "+8801712345678" })
const blocked = verifications.send({ phoneNumber: "+8801798765432" })
await assert.rejects(blocked, { code: "invalid_request" })
