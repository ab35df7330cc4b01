/** A listener receives the commits of this process. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const { verifications } = countersign

const received: Array<string> = []
const unsubscribe = countersign.subscribe(({ type }) => void received.push(type))
const { requestId } = await verifications.send({ phoneNumber: "+8801712345678" })
unsubscribe()
await verifications.cancel({ requestId })
assert.deepEqual(received, ["message_settled", "verification_sent"])
