/** An inbox takes the place of phones in development, and gives codes to tests. */
import assert from "node:assert/strict"
import { createInbox } from "@countersign/inbox"
import { createCountersign } from "countersign"

await using inbox = createInbox()
await using countersign = await createCountersign({
  database: "memory",
  gateways: inbox.gateways,
  log: () => {},
})
const { verifications } = countersign

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
const code = await inbox.waitForCode({ phoneNumber })
await verifications.verify({ requestId, code })

const [sent] = await inbox.messages({ phoneNumber, limit: 1 })
const again = inbox.waitForCode({ phoneNumber, after: sent?.id, timeout: "100 milliseconds" })
await assert.rejects(again, { name: "NoCodeError" })
