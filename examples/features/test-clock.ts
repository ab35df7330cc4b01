/** A test moves the clock, and reads the code. */
import assert from "node:assert/strict"
import { createCountersign, createTestClock, developmentGateway, type Gateway } from "countersign"

const phones = developmentGateway()
const sms: Gateway = {
  ...phones,
  // One number is refused, so that the app can be tested on that.
  send: (message, options) =>
    message.phoneNumber.endsWith("9")
      ? Promise.resolve({ status: "rejected", reason: "recipient", message: "switched off" })
      : phones.send(message, options),
}
// Give each test an engine and a clock of its own.
const clock = createTestClock()
await using countersign = await createCountersign({ database: "memory", clock, gateways: { sms } })
const { verifications } = countersign
const phoneNumber = "+8801712345678"

// "Send again" works after 30 seconds, with the same code.
const { requestId } = await verifications.send({ phoneNumber })
const code = phones.latestCode(phoneNumber)
await clock.advance("20 seconds")
await assert.rejects(verifications.resend({ requestId }), { reason: "cooldown" })
await clock.advance("10 seconds")
await verifications.resend({ requestId })
assert.equal(phones.latestCode(phoneNumber), code)

// A code expires after five minutes.
await clock.advance("5 minutes")
await assert.rejects(verifications.verify({ requestId, code }), { code: "request_expired" })

// A phone that is switched off.
const failed = verifications.send({ phoneNumber: "+8801712345679" })
await assert.rejects(failed, { code: "sending_failed", status: "failed" })
