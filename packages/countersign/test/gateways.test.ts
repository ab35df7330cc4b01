import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Vendors from "../src/gateways.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { appSecret, authToken, twilioReport } from "./support/reports.ts"
import { phone } from "./support/values.ts"
import { serve, startTwilio, startVendor } from "./support/vendor.ts"

const { twilio, whatsappCloud } = Vendors

const { host } = hosts()

const publicUrl = "https://sms.example.com"

const accountSid = "AC00000000000000000000000000000001"

/** A host that is mounted on loopback, as if it stood behind a proxy at the public address. */
const mounted = async (options: Partial<Countersign.CountersignOptions>) => {
  const one = await host({ callbacks: { publicUrl }, prices: { sms: "0.50" }, ...options })
  await one.engine.account.topUp({ amount: "10" })
  return { ...one, origin: await serve(one.engine.callbacks.listener) }
}

const newest = async (engine: Countersign.Countersign) =>
  (await engine.messages.list()).items[0] ?? assert.fail("nothing was sent")

describe("Twilio", () => {
  it("treats accepted as delivered without callbacks", async () => {
    const vendor = await startTwilio()
    const { engine } = await host({
      gateways: [twilio({ accountSid, authToken, baseUrl: vendor.origin })],
    })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    assert.isFalse(new URLSearchParams(vendor.requests[0]?.body).has("StatusCallback"))
    assert.strictEqual((await newest(engine)).status, "delivered")
    assert.deepStrictEqual(engine.callbacks.urls, {})
    const report = twilioReport(`${publicUrl}/callbacks/twilio`, { MessageStatus: "failed" })
    assert.strictEqual((await engine.callbacks.fetch(new Request(report.url, report))).status, 404)
  })
})

describe("WhatsApp Cloud", () => {
  const options = {
    accessToken: "EAAG-an-access-token",
    phoneNumberId: "77",
    template: { name: "otp_code" },
    appSecret,
    verifyToken: "a verify token",
  }

  it("prevents the start without a callback URL", async () => {
    const unheard = host({
      database: "postgres://127.0.0.1:1/none",
      gateways: [whatsappCloud(options)],
    })
    const error: unknown = await unheard.catch((cause: unknown) => cause)
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, /callbacks\.publicUrl is missing: "whatsapp-cloud"/)
  })
})

it("every adapter has a row in the table", () => {
  const sources = new URL("../../gateways/src/", import.meta.url)
  const adapters = readdirSync(sources)
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => readFileSync(new URL(file, sources), "utf8").includes("const layerConfig"))
    .map((file) => file.slice(0, -".ts".length).toLowerCase())
  const rows = Object.keys(Vendors).map((name) => name.toLowerCase())
  assert.deepStrictEqual(rows.toSorted(), adapters.toSorted())
})

it("every option reaches the adapter, next to the validated ones", async () => {
  const vendor = await startVendor(() => ({
    status: 200,
    body: JSON.stringify({ messages: [{ id: "wamid.1" }] }),
  }))
  const { engine } = await mounted({
    gateways: [
      whatsappCloud({
        accessToken: "EAAG-an-access-token",
        phoneNumberId: "77",
        template: { name: "otp_code", languages: { "en-us": "en_GB" } },
        appSecret,
        version: "v26.0",
        baseUrl: vendor.origin,
      }),
    ],
  })
  await engine.verifications.send({ phoneNumber: phone(), channel: "whatsapp" })
  assert.strictEqual(vendor.requests[0]?.url, "/v26.0/77/messages")
  assert.include(vendor.requests[0]?.body, '"code":"en_GB"')
})
