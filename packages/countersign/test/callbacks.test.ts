import { assert, describe, it } from "vitest"
import { twilio } from "../src/gateways.ts"
import type * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { authToken, deliver, type Report, twilioReport } from "./support/reports.ts"
import { failure, phone } from "./support/values.ts"
import { serve, startTwilio } from "./support/vendor.ts"

const { host } = hosts()

const publicUrl = "https://sms.example.com/app"

/** A host, a message that Twilio has taken, and the report that it has arrived. */
const reported = async (callbacks: Partial<Countersign.CallbackOptions> = {}) => {
  const vendor = await startTwilio()
  const one = await host({
    callbacks: { publicUrl, ...callbacks },
    gateways: [
      twilio({ accountSid: "AC1", authToken, from: "8809612000101", baseUrl: vendor.origin }),
    ],
  })
  await one.engine.messages.send({ phoneNumber: phone(), text: "hello" })
  const callbackUrl = new URLSearchParams(vendor.requests[0]?.body).get("StatusCallback") ?? ""
  const status = async () => (await one.engine.messages.list()).items[0]?.status
  return {
    ...one,
    status,
    report: twilioReport(callbackUrl, { MessageSid: "1", MessageStatus: "delivered" }),
  }
}

const requestOf = ({ body, headers, method, url }: Report, at = url): Request =>
  new Request(at, { method, headers, body: body ?? null })

/** The same report at another path of the app. */
const moved = ({ url, ...report }: Report, base: string): Report => ({
  ...report,
  url: url.replace("/app/callbacks/", `${base}/`),
})

/** A gateway written with promises. Its vendor signs reports with a word. */
const own = (report: Partial<Countersign.DeliveryReport> = {}): Countersign.Gateway => ({
  name: "own",
  reports: true,
  send: async () => ({ status: "accepted", gatewayId: "v-1" }),
  callback: async ({ body, headers, url }) => {
    if (headers["x-signature"] !== "signed") return { refused: "not signed" }
    assert.strictEqual(url.href, `${publicUrl}/callbacks/own?n=1`)
    const text = Buffer.from(body).toString()
    if (text === "garbage") return { malformed: "not readable" }
    if (text === "throw") throw new Error(text)
    return { reports: [{ gatewayId: "v-1", status: "delivered", ...report }], once: text }
  },
})

describe("callbacks of a gateway written with promises", () => {
  const requested = (body: string, signature = "signed") =>
    new Request(`${publicUrl}/callbacks/own?n=1`, {
      method: "POST",
      headers: { "x-signature": signature },
      body,
    })

  for (const form of ["for a channel", "in a list"] as const) {
    it(`verify and receive reports on a gateway ${form}`, async () => {
      const gateway = own()
      const gateways = form === "in a list" ? [gateway] : { sms: gateway }
      const { engine, lines } = await host({ callbacks: { publicUrl }, gateways })
      assert.deepStrictEqual(engine.callbacks.urls, { own: `${publicUrl}/callbacks/own` })
      await engine.messages.send({ phoneNumber: phone(), text: "hello" })
      const answers: Array<number> = []
      for (const [body, signature] of [["a", "forged"], ["garbage"], ["throw"], ["b"], ["b"]]) {
        const { status } = await engine.callbacks.fetch(requested(body ?? "", signature))
        answers.push(status)
        const [message] = (await engine.messages.list()).items
        assert.strictEqual(message?.status, body === "b" ? "delivered" : "accepted")
      }
      assert.deepStrictEqual(answers, [403, 400, 400, 200, 200])
      assert.match(lines.join("\n"), /has thrown: Error/)
      assert.notInclude(lines.join("\n"), "hello")
    })
  }

  it("find a message by its organization and sequence", async () => {
    const gateways = { sms: own({ messageSequence: 1, gatewayId: undefined }) }
    const { engine } = await host({ callbacks: { publicUrl }, gateways })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    assert.strictEqual((await engine.callbacks.fetch(requested("a"))).status, 200)
    assert.strictEqual((await engine.messages.list()).items[0]?.status, "delivered")
  })

  it("need an address and reports", async () => {
    const gateways = { sms: own() }
    const without = await failure(host({ gateways }))
    assert.match(without.message, /callbacks\.publicUrl is missing: "own"/)
    const silent = { sms: { ...own(), reports: false } }
    const { message } = await failure(host({ callbacks: { publicUrl }, gateways: silent }))
    assert.match(message, /own\.callback needs reports: true/)
  })
})

describe("callbacks", () => {
  it("are served below the path of the public URL only", async () => {
    const { engine, report, status } = await reported()
    for (const base of ["/callbacks", "/app", "", "/app/callbacks/callbacks"]) {
      const elsewhere = await engine.callbacks.fetch(requestOf(moved(report, base)))
      assert.strictEqual(elsewhere.status, 404, base)
    }
    assert.strictEqual(await status(), "accepted")
    assert.strictEqual((await engine.callbacks.fetch(requestOf(report))).status, 200)
    assert.strictEqual(await status(), "delivered")
  })

  it("may be mounted anywhere: signatures cover the public URL", async () => {
    for (const say of ["option", "mount"] as const) {
      const { engine, report, status } = await reported(
        say === "option" ? { basePath: "/hooks/sms" } : {},
      )
      const origin = await serve((request, response) =>
        engine.callbacks.listener(
          request,
          response,
          say === "mount" ? { basePath: "/hooks/sms" } : undefined,
        ),
      )
      assert.strictEqual((await deliver(moved(report, "/hooks/sms"), origin)).status, 200, say)
      assert.strictEqual(await status(), "delivered", say)
    }
  })

  it("accept the bytes of a body that the host has read", async () => {
    const { engine, report, status } = await reported()
    const origin = await serve((request, response) => {
      const chunks: Array<Uint8Array> = []
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      request.on("end", () =>
        engine.callbacks.listener(request, response, { body: Buffer.concat(chunks) }),
      )
    })
    assert.strictEqual((await deliver(report, origin)).status, 200)
    assert.strictEqual(await status(), "delivered")

    const request = requestOf(report)
    const body = await request.text()
    assert.strictEqual((await engine.callbacks.handle(request, { body })).status, 200)
    const forged = await engine.callbacks.handle(request, { body: `${body}&MessageStatus=failed` })
    assert.strictEqual(forged.status, 403)
  })

  it("reject a report if a parser has discarded the bytes of its body", async () => {
    const { engine, lines, report, status } = await reported()
    const parsed = await serve((request, response) => {
      request.resume().on("end", () => {
        engine.callbacks.listener(request, response, { body: { MessageStatus: "delivered" } })
      })
    })
    const eaten = await serve((request, response) => {
      request.resume().on("end", () => engine.callbacks.listener(request, response))
    })
    for (const origin of [parsed, eaten]) {
      const answer = await deliver(report, origin)
      assert.strictEqual(answer.status, 500)
      assert.match(await answer.text(), /before the parser of bodies/)
    }
    const request = requestOf(report)
    await request.text()
    assert.strictEqual((await engine.callbacks.fetch(request)).status, 500)
    const said = lines.filter((line) => line.startsWith("error: Countersign: A report is lost"))
    assert.lengthOf(said, 3)
    assert.strictEqual(await status(), "accepted")
  })

  it("read a bounded part of a body", async () => {
    const { engine, report } = await reported({ maxBodyBytes: 16 })
    const origin = await serve(engine.callbacks.listener)
    assert.strictEqual((await deliver(report, origin)).status, 413)
  })

  it.each([
    ["no address", "sms.example.com"],
    ["a query", "https://sms.example.com/?a=1"],
    ["a password", "https://me:hunter2@sms.example.com"],
    ["another scheme", "ftp://sms.example.com"],
  ])("are rejected at the start with %s", async (_, url) => {
    const error = await failure(
      host({ database: "postgres://127.0.0.1:1/none", callbacks: { publicUrl: url } }),
    )
    assert.match(error.message, /^callbacks\.publicUrl must be an address/)
    assert.notInclude(error.message, "hunter2")
  })
})
