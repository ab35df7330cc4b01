import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { zitadelSmsHook } from "../src/index.ts"
import { host, phoneNumber, post } from "./support/host.ts"

const key = "the signing key of a provider, for tests"

/** What ZITADEL sends to its SMS provider over HTTP. */
const body = JSON.stringify({
  contextInfo: {
    eventType: "session.otp.sms.challenged",
    provider: { id: "285181292935381355", description: "countersign" },
    recipientPhoneNumber: phoneNumber,
  },
  templateData: { title: "", text: "123456 is your code for Acme.", url: "" },
  args: { code: "123456", expiry: 300_000_000_000 },
})

const setUp = async () => {
  const { clock, engine, sent } = await host()
  const hook = zitadelSmsHook(engine, { signingKey: ["an earlier key", key], clock })
  const seconds = Math.floor(clock.now().getTime() / 1_000)
  const call = (signature: string) => post(hook, body, { "zitadel-signature": signature })
  return { call, seconds, sent }
}

const sign = (seconds: number, secret: string): string =>
  createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")

describe("the hook of ZITADEL", () => {
  it("carries the text once, with the signature of a known key", async () => {
    const { call, seconds, sent } = await setUp()
    const known = sign(seconds, key)
    const signatures = [`t=${seconds},v1=${known}`, `t=${seconds},v1=00,v1=${known}`]
    for (const signature of signatures) {
      assert.deepStrictEqual(await call(signature), { status: 200, body: {} })
    }
    assert.deepStrictEqual(sent(), [`${phoneNumber} 123456 is your code for Acme.`])
  })

  it("refuses other signatures", async () => {
    const { call, seconds, sent } = await setUp()
    const old = seconds - 301
    const forged = [
      "",
      `v1=${sign(seconds, key)}`,
      `t=${seconds}`,
      `t=${seconds},v1=${sign(seconds, "another key")}`,
      `t=${seconds + 1},v1=${sign(seconds, key)}`,
      `t=${old},v1=${sign(old, key)}`,
    ]
    for (const signature of forged) assert.strictEqual((await call(signature)).status, 401)
    assert.deepStrictEqual(sent(), [])
  })
})
