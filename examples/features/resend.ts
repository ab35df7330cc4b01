/** A code is sent again, also over the other channel. */
import assert from "node:assert/strict"
import {
  createCountersign,
  createTestClock,
  developmentGateway,
  RateLimitedError,
  ResendsExhaustedError,
} from "countersign"

const gateway = developmentGateway()
const clock = createTestClock() // so that this example does not have to wait
await using countersign = await createCountersign({
  database: "memory",
  clock,
  gateways: [gateway],
})
const { verifications } = countersign

/** For "send it again" and for "send it over WhatsApp instead". */
const sendAgain = async (requestId: string, channel: "sms" | "whatsapp") => {
  try {
    const { resendsRemaining } = await verifications.resend({ requestId, channel })
    return `sent, ${resendsRemaining} left`
  } catch (error) {
    if (error instanceof RateLimitedError) return `wait ${error.retryAfterSeconds} seconds`
    if (error instanceof ResendsExhaustedError) return "no more: is the number right?"
    throw error
  }
}

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
assert.equal(await sendAgain(requestId, "sms"), "wait 30 seconds")
const answers = ["sent, 2 left", "sent, 1 left", "sent, 0 left", "no more: is the number right?"]
for (const answer of answers) {
  await clock.advance("30 seconds")
  assert.equal(await sendAgain(requestId, "whatsapp"), answer)
}

const codes = gateway.messages(phoneNumber).map(({ code }) => code)
assert.deepEqual([codes.length, new Set(codes).size], [4, 1]) // four messages, one code
