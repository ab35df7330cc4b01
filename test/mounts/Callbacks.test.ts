/**
 * Where vendors report, on every framework: what a host writes, and what it does to a body before.
 */
import { countersignExpress } from "@countersign/express"
import { getRequestListener } from "@hono/node-server"
import type { Callbacks } from "countersign"
import { twilio } from "countersign/gateways"
import express from "express"
import { createHmac } from "node:crypto"
import type { RequestListener } from "node:http"
import { assert, describe, it } from "vitest"
import { mountsAt, quietEngine, serving } from "../support/adminMounts.ts"

const publicUrl = "https://sms.example.com"
const authToken = "an auth token for the tests"

const originOf = ({ base }: { readonly base: string }) => new URL(base).origin

const withBody = async (body: (text: string) => void, request: AsyncIterable<Uint8Array>) => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  body(Buffer.concat(chunks).toString())
}

type Mount = (callbacks: Callbacks) => RequestListener | Promise<RequestListener>

const raw = () => express().use(express.raw({ type: () => true }))

const mounts: Readonly<Record<string, Mount>> = {
  ...mountsAt("/callbacks"),
  "express, with the bare listener behind express.raw()": ({ listener }) =>
    raw().use("/callbacks", listener),
  "express behind express.raw()": (callbacks) =>
    raw().use("/callbacks", countersignExpress(callbacks)),
  fetch: ({ fetch }) => getRequestListener((request) => fetch(request)),
  node: ({ listener }) => listener,
}

/** As Twilio signs a report; `test/release/gateways/Twilio.test.ts` compares this with its own library. */
const signed = (url: string, fields: Readonly<Record<string, string>>): string =>
  createHmac("sha1", authToken)
    .update(url + Object.entries(fields).toSorted().flat().join(""))
    .digest("base64")

/** A message that a Twilio has taken, its report as Twilio would sign it, and the app that it is sent to. */
const reported = async (mount: Mount) => {
  const callbackUrls: Array<string> = []
  const vendor = await serving((request, response) => {
    void withBody((body) => {
      callbackUrls.push(new URLSearchParams(body).get("StatusCallback") ?? "")
      response.writeHead(201, { "content-type": "application/json" })
      response.end(JSON.stringify({ sid: "SM1", status: "queued" }))
    }, request)
  })
  const lines: Array<string> = []
  const countersign = await quietEngine({
    gateways: [twilio({ accountSid: "AC1", authToken, baseUrl: originOf(vendor) })],
    callbacks: { publicUrl },
    log: ({ level, message }) => lines.push(`${level}: ${message}`),
  })
  const app = await serving(await mount(countersign.callbacks))
  await countersign.messages.send({ phoneNumber: "8801712345678", text: "hello" })
  const [url = ""] = callbackUrls
  const fields = { MessageSid: "SM1", MessageStatus: "delivered" }
  const report = (signature = signed(url, fields)) =>
    fetch(url.replace(publicUrl, originOf(app)), {
      method: "POST",
      headers: { "x-twilio-signature": signature },
      body: new URLSearchParams(fields),
    })
  return {
    lines,
    report,
    status: async () => (await countersign.messages.list()).items[0]?.status,
    [Symbol.asyncDispose]: async () => {
      app[Symbol.dispose]()
      vendor[Symbol.dispose]()
      await countersign.dispose()
    },
  }
}

describe("reports", () => {
  it.each(Object.entries(mounts))("are accepted on %s", async (_, mount) => {
    await using one = await reported(mount)
    assert.strictEqual((await one.report("bm8=")).status, 403)
    assert.strictEqual(await one.status(), "accepted")
    assert.strictEqual((await one.report()).status, 200)
    assert.strictEqual(await one.status(), "delivered")
  })

  it("get a 500 and a log line if a parser keeps no bytes", async () => {
    await using one = await reported((callbacks) =>
      express().use(express.urlencoded()).use("/callbacks", countersignExpress(callbacks)),
    )
    assert.strictEqual((await one.report()).status, 500)
    assert.strictEqual(await one.status(), "accepted")
    assert.match(
      one.lines.join("\n"),
      /error: Countersign: A report is lost: .*before the parser of bodies/,
    )
  })
})
