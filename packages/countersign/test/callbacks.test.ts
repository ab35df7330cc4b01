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
  const status = async () => (await one.engine.messages.list()).messages[0]?.status
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
    await engine.dispose()
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
      await engine.dispose()
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
    await engine.dispose()
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
    await engine.dispose()
  })

  it("read a bounded part of a body", async () => {
    const { engine, report } = await reported({ maxBodyBytes: 16 })
    const origin = await serve(engine.callbacks.listener)
    assert.strictEqual((await deliver(report, origin)).status, 413)
    await engine.dispose()
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
