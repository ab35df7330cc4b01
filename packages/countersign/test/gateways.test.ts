import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Vendors from "../src/gateways.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { appSecret, authToken, deliver, metaReport, twilioReport } from "./support/reports.ts"
import { phone } from "./support/values.ts"
import { serve, startTwilio, startVendor } from "./support/vendor.ts"

const { kannel, twilio, whatsappCloud } = Vendors

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
  it("sends a message, and its signed report settles it; a forged report does not", async () => {
    const vendor = await startTwilio()
    const { engine, lines, origin } = await mounted({
      gateways: [twilio({ accountSid, authToken, from: "8809612000101", baseUrl: vendor.origin })],
    })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    const [request] = vendor.requests
    const form = new URLSearchParams(request?.body)
    assert.strictEqual(form.get("Body"), "hello")
    assert.strictEqual(form.get("From"), "+8809612000101")
    const callbackUrl = form.get("StatusCallback") ?? assert.fail()
    assert.isTrue(callbackUrl.startsWith(`${engine.callbacks.urls["twilio"]}?`), callbackUrl)
    assert.strictEqual((await newest(engine)).status, "accepted")

    const fields = { MessageSid: "SM1", MessageStatus: "undelivered", ErrorCode: "30005" }
    const forged = await deliver(twilioReport(callbackUrl, fields, "another token"), origin)
    assert.strictEqual(forged.status, 403)
    assert.strictEqual((await engine.account.balance()).held, "0.50")

    const heard = Promise.withResolvers<string>()
    engine.subscribe((event) => {
      if (event.type === "message_settled") heard.resolve(event.status)
    })
    assert.strictEqual((await deliver(twilioReport(callbackUrl, fields), origin)).status, 200)
    assert.strictEqual(await heard.promise, "undelivered")
    const { error, price, status } = await newest(engine)
    assert.deepStrictEqual([status, price], ["undelivered", "0.00"])
    assert.include(error ?? "", "30005")
    assert.strictEqual((await engine.account.balance()).balance, "10.00")
    assert.notInclude(lines.join("\n"), authToken)
    await engine.dispose()
  })

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
    await engine.dispose()
  })
})

describe("Kannel", () => {
  it("sends a code, and the report to its callback URL settles it", async () => {
    const vendor = await startVendor(() => ({ status: 202, body: "0: Accepted for delivery" }))
    const password = "the password of the sendsms-user"
    const { engine, lines, origin } = await mounted({
      gateways: [
        kannel({
          url: `${vendor.origin}/cgi-bin/sendsms`,
          username: "countersign",
          password,
          callbackSecret: "a secret of your own, 32 random characters",
        }),
      ],
    })
    await engine.verifications.send({ phoneNumber: phone() })
    const [request] = vendor.requests
    assert.strictEqual(request?.headers["x-kannel-password"], password)
    const callbackUrl = String(request?.headers["x-kannel-dlr-url"])
    assert.isTrue(callbackUrl.startsWith(`${engine.callbacks.urls["kannel"]}/`), callbackUrl)
    // 1: delivered to the phone.
    const filled = callbackUrl.replaceAll("%d", "1").replaceAll("%A", "")
    const forged = filled.replace(/\/[\w-]+\?/, "/AAAA?")
    assert.strictEqual(
      (await deliver({ method: "GET", url: forged, headers: {} }, origin)).status,
      403,
    )
    assert.strictEqual((await newest(engine)).status, "accepted")
    assert.strictEqual(
      (await deliver({ method: "GET", url: filled, headers: {} }, origin)).status,
      200,
    )
    assert.strictEqual((await newest(engine)).status, "delivered")
    assert.notInclude(lines.join("\n"), password)
    await engine.dispose()
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

  it("fills a code into its template, answers Meta's handshake, and reports", async () => {
    const vendor = await startVendor(() => ({
      status: 200,
      body: JSON.stringify({ messaging_product: "whatsapp", messages: [{ id: "wamid.1" }] }),
    }))
    const { engine, origin } = await mounted({
      gateways: [whatsappCloud({ ...options, baseUrl: vendor.origin })],
    })
    const { requestId } = await engine.verifications.send({
      phoneNumber: phone(),
      channel: "whatsapp",
    })
    const request: {
      readonly template: {
        components: ReadonlyArray<{ parameters: ReadonlyArray<{ text: string }> }>
      }
      readonly biz_opaque_callback_data: string
    } = JSON.parse(vendor.requests[0]?.body ?? "")
    const code = request.template.components[0]?.parameters[0]?.text ?? ""
    assert.match(code, /^\d{6}$/)

    const address = engine.callbacks.urls["whatsapp-cloud"] ?? assert.fail()
    const registry = "hub.mode=subscribe&hub.challenge=42&hub.verify_token="
    const meta = { method: "GET", headers: {} }
    const verified = await deliver({ ...meta, url: `${address}?${registry}a+verify+token` }, origin)
    assert.strictEqual(await verified.text(), "42")
    assert.strictEqual(
      (await deliver({ ...meta, url: `${address}?${registry}no` }, origin)).status,
      403,
    )

    const status = {
      id: "wamid.1",
      status: "delivered",
      timestamp: "1700000000",
      biz_opaque_callback_data: request.biz_opaque_callback_data,
    }
    const report = metaReport(address, status)
    const changed = { ...report, body: report.body?.replace("delivered", "read") ?? "" }
    assert.strictEqual((await deliver(changed, origin)).status, 403)
    assert.strictEqual((await newest(engine)).status, "accepted")
    assert.strictEqual((await deliver(report, origin)).status, 200)
    assert.strictEqual((await newest(engine)).status, "delivered")
    await engine.verifications.check({ requestId, code })
    await engine.dispose()
  })

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
  await engine.dispose()
})
