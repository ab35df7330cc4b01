/** Codes have texts of your own, which phones fill in. */
import assert from "node:assert/strict"
import {
  androidHash,
  createCountersign,
  developmentGateway,
  lintTexts,
  type Texts,
} from "countersign"

// The signing certificate itself in hexadecimal (`keytool -exportcert … | xxd -p`), not its fingerprint.
const certificateHex = "3082".padEnd(1_200, "0")
const texts: Texts = {
  domain: "example.com",
  androidHash: androidHash({ packageName: "com.example.app", certificateHex }),
  templates: [
    { locale: "en-us", text: ({ code }) => `${code} is your Example code.` },
    {
      locale: "en-us",
      organization: "default",
      text: ({ code }) => `${code} is your bank code. We never ask for it by phone.`,
    },
  ],
}
assert.deepEqual(lintTexts(texts), [])

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  verifications: { texts },
})
await countersign.verifications.send({ phoneNumber: "+8801712345678" })
const [message] = gateway.messages()
const lines = message?.text.split("\n") ?? []
assert.equal(lines[0], `${message?.code} is your bank code. We never ask for it by phone.`)
assert.equal(lines.at(-1), `@example.com #${message?.code}`)
