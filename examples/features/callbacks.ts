/** A vendor reports the delivery of a message. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { createCountersign } from "countersign"
import { twilio } from "countersign/gateways"

// Takes the place of Twilio, which gets the address for reports with each message.
let reportTo = ""
const vendor = createServer(async (request, response) => {
  reportTo = new URLSearchParams(await text(request)).get("StatusCallback") ?? ""
  response.writeHead(201, { "content-type": "application/json" })
  response.end(JSON.stringify({ sid: "SM1", status: "queued", num_segments: "1" }))
}).listen(0)
await once(vendor, "listening")
const address = vendor.address()
const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`

const authToken = process.env["TWILIO_AUTH_TOKEN"] ?? "the auth token of the account"
await using countersign = await createCountersign({
  database: "memory",
  gateways: [twilio({ accountSid: "AC01", authToken, from: "8809612345678", baseUrl })],
  callbacks: { publicUrl: "https://sms.example.com" },
})
const { callbacks, messages } = countersign
const statusOf = async () => (await messages.list()).items[0]?.status
await messages.send({ phoneNumber: "8801712345678", text: "hello" })
assert.equal(await statusOf(), "accepted")
assert.equal(reportTo.startsWith(callbacks.urls["twilio"] ?? "none"), true)

// Some seconds later, Twilio sends a report with a signature.
const headers = {
  "content-type": "application/x-www-form-urlencoded",
  "x-twilio-signature": createHmac("sha1", authToken)
    .update(`${reportTo}MessageSidSM1MessageStatusdelivered`)
    .digest("base64"),
}
const body = "MessageSid=SM1&MessageStatus=delivered"
const report = (init: RequestInit) =>
  callbacks.fetch(new Request(reportTo, { method: "POST", body, ...init }))
assert.equal((await report({ headers })).status, 200)
assert.equal(await statusOf(), "delivered")
vendor.close()
