/** Phone numbers of other countries get no messages. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  countries: ["BD", "IN"],
})
const { verifications } = countersign

await verifications.send({ phoneNumber: "+8801712345678" })
await assert.rejects(verifications.send({ phoneNumber: "+12025550123" }), ({ details }) => {
  assert.equal(details.phoneNumber[0].code, "country_not_served")
  return true
})
