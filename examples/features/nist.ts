/** No option loosens the limits of NIST SP 800-63B. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  verifications: {
    profile: "nist",
    channels: ["whatsapp"], // no code by SMS, if you consider it unsafe
  },
})
const { verifications } = countersign
const phoneNumber = "+8801712345678"

const invalid = { code: "invalid_request" }
await assert.rejects(verifications.send({ phoneNumber, channel: "sms" }), invalid)
await assert.rejects(verifications.send({ phoneNumber, codeLength: 5 }), invalid)
await assert.rejects(verifications.send({ phoneNumber, expiresIn: "11 minutes" }), invalid)

const { requestId } = await verifications.send({ phoneNumber })
const code = gateway.latestCode(phoneNumber)
await verifications.verify({ requestId, code })
// A code is used once, and not checked again.
await assert.rejects(verifications.verify({ requestId, code }), { code: "already_consumed" })
await assert.rejects(verifications.check({ requestId, code }), { code: "already_consumed" })
