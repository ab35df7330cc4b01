/** A test number has a fixed code for reviewers of an app store. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  testNumbers: {
    numbers: [
      { phoneNumber: "+8801799000001", code: "730164" },
      { phoneNumber: "+8801799000002", code: "904417", outcome: "failed" },
    ],
    bypassLimits: true, // otherwise they count towards the limits of a number as any other
  },
})
const { verifications } = countersign

const { requestId } = await verifications.send({ phoneNumber: "+8801799000001" })
await verifications.verify({ requestId, code: "730164" })
const failed = verifications.send({ phoneNumber: "+8801799000002" })
await assert.rejects(failed, { code: "sending_failed" })
assert.equal(gateway.messages().length, 0) // nothing was sent
