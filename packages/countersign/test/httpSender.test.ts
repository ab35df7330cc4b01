import { assert, it } from "vitest"
import { type GatewayOutcome, httpSender, type OutgoingMessage } from "../src/index.ts"
import { startVendor } from "./support/vendor.ts"

const message: OutgoingMessage = {
  token: "msg_1",
  organization: "acme",
  sequence: 7,
  purpose: "message",
  class: "transactional",
  channel: "sms",
  phoneNumber: "+8801712345678",
  sender: "ACME",
  text: "hello",
}

it.each<GatewayOutcome>([
  { status: "rejected", reason: "content", message: "no", vendorCode: "7", unreachable: true },
  { status: "throttled", message: "slow", vendorCode: "7", retryAfter: "2000 milliseconds" },
  { status: "not_sent", message: "busy", vendorCode: "7" },
  { status: "unknown", message: "odd", vendorCode: "7" },
])("a sender over HTTP keeps the vendor's code: $status", async (outcome) => {
  const { origin } = await startVendor(() => ({ status: 200, body: "{}" }))
  const send = httpSender({ secrets: [], request: () => ({ url: origin }), outcome: () => outcome })
  const { signal } = new AbortController()
  assert.deepStrictEqual(await send(message, { signal }), outcome)
})
