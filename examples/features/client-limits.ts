/** One visitor gets a limited number of codes. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  limits: {
    sendsPerClient: [
      { max: 3, per: "10 minutes" },
      { max: 10, per: "1 day" },
    ],
    checksPerClient: { max: 30, per: "10 minutes" },
  },
})

/** Pass the address that your framework gives, or the id of a session. */
const send = (phoneNumber: string) =>
  countersign.verifications.send({ phoneNumber, client: "203.0.113.7" })

// A visitor who tries one number after the other.
for (const last of [1, 2, 3]) await send(`+880171234567${last}`)
await assert.rejects(send("+8801712345674"), {
  code: "rate_limited",
  reason: "client",
  httpStatus: 429,
})
