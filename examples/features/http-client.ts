/** Another service calls the engine over HTTP. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import { createClient } from "@countersign/client"
import { createCountersign, developmentGateway } from "countersign"

const gateway = developmentGateway()
await using countersign = await createCountersign({ database: "memory", gateways: [gateway] })
const server = createServer(countersign.listener).listen(0)
await once(server, "listening")
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
const { key } = await countersign.apiKeys.create({ name: "another service" })

// In the other service.
const { verifications } = createClient({ baseUrl: `${origin}/api/v2`, apiKey: key })

const sentenceFor = async (requestId: string, code: string): Promise<string> => {
  const checked = await verifications.check({ requestId, code })
  if (checked.ok && checked.data.isFirst) return `${checked.data.phoneNumber} is yours.`
  if (checked.ok) return "This code was used before. Please ask for a new one."
  switch (checked.error.code) {
    case "wrong_code":
      return `That is not the code. Tries left: ${checked.error.attemptsRemaining}.`
    case "attempts_exhausted":
    case "request_expired":
    case "request_not_found":
      return "Please ask for a new code."
    default:
      return "That did not work. Please try again."
  }
}

const phoneNumber = "+8801712345691"
const sent = await verifications.send({ phoneNumber, codeLength: 4 })
const requestId = sent.ok ? sent.data.requestId : ""
const wrong = "That is not the code. Tries left: 2."
assert.equal(await sentenceFor(requestId, "not it"), wrong)
const code = gateway.latestCode(phoneNumber)
assert.equal(await sentenceFor(requestId, code), "+8801712345691 is yours.")
server.close()
