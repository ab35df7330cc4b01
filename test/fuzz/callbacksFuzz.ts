/**
 * Delivery reports under fuzzing: signed and forged requests to the callbacks of every vendor that reports over HTTP.
 */
import { getRequestListener } from "@hono/node-server"
import type { Countersign } from "countersign"
import { kannel, smsGate, twilio, vonage, whatsappCloud } from "countersign/gateways"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import { createServer, type RequestListener, type Server } from "node:http"
import { mountsAt, quietEngine } from "../support/adminMounts.ts"
import { end, listen } from "../support/loopback.ts"
import { differenceOf, textOf } from "./hostDifferences.ts"
import { hostileValue } from "./jsonArbitraries.ts"
import { bytesOf, curlOf, Wire, type WireAnswer, type WireRequest } from "./wire.ts"

const publicUrl = "https://sms.example.com"
const secret = "a secret for the reports of tests"
const nothing = "http://127.0.0.1:1"

const { "express behind express.json()": _, ...raw } = mountsAt("/callbacks")

const mounts: Readonly<
  Record<string, (one: Countersign["callbacks"]) => RequestListener | Promise<RequestListener>>
> = {
  node: ({ listener }) => listener,
  ...raw,
  fetch: ({ fetch }) => getRequestListener((request) => fetch(request)),
}

const hmac = (algorithm: string, data: Uint8Array | string, encoding: "base64" | "hex"): string =>
  createHmac(algorithm, secret).update(data).digest(encoding)

type Signed = Pick<WireRequest, "headers"> & { readonly body: Uint8Array }

/** A report as its vendor signs it. */
const signers: Readonly<Record<string, (body: Uint8Array, path: string) => Signed>> = {
  "whatsapp-cloud": (body) => ({
    body,
    headers: [
      ["content-type", "application/json"],
      ["x-hub-signature-256", `sha256=${hmac("sha256", body, "hex")}`],
    ],
  }),
  smsgate: (body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signed = Buffer.concat([body, Buffer.from(timestamp)])
    return {
      body,
      headers: [
        ["x-timestamp", timestamp],
        ["x-signature", hmac("sha256", signed, "hex")],
      ],
    }
  },
  twilio: (body, path) => {
    const fields = [...new URLSearchParams(Buffer.from(body).toString())]
    return {
      body: Buffer.from(new URLSearchParams(fields).toString()),
      headers: [
        ["content-type", "application/x-www-form-urlencoded"],
        [
          "x-twilio-signature",
          hmac("sha1", `${publicUrl}${path}${fields.toSorted().flat().join("")}`, "base64"),
        ],
      ],
    }
  },
  vonage: (body) => ({ body, headers: [["authorization", "Bearer a.b.c"]] }),
  kannel: (body) => ({ body, headers: [] }),
}

/** Reports of each vendor with a value in each member. */
const bodies: Readonly<Record<string, ReadonlyArray<(value: string) => string>>> = {
  "whatsapp-cloud": [
    (value) => value,
    (value) => `{"entry":${value}}`,
    (value) => `{"entry":[{"changes":[{"field":"messages","value":{"statuses":[${value}]}}]}]}`,
    ...["id", "status", "timestamp", "errors", "biz_opaque_callback_data", "pricing"].map(
      (name) => (value: string) =>
        `{"entry":[{"changes":[{"field":"messages","value":{"statuses":[{"id":"w1","status":"failed","timestamp":"1","${name}":${value}}]}}]}]}`,
    ),
  ],
  smsgate: [
    (value) => value,
    (value) => `{"event":"sms:failed","payload":${value}}`,
    ...["messageId", "reason", "failedAt", "simNumber"].map(
      (name) => (value: string) =>
        `{"event":"sms:failed","payload":{"messageId":"m1","reason":"no","${name}":${value}}}`,
    ),
  ],
  twilio: ["MessageSid", "MessageStatus", "ErrorCode", "To", "__proto__"].map(
    (name) => (value: string) =>
      `MessageSid=SM1&MessageStatus=failed&${name}=${encodeURIComponent(value.toWellFormed())}`,
  ),
  vonage: [(value) => `{"message_uuid":"v1","status":${value}}`],
  kannel: [(value) => value],
}

const paths = ["", "", "", "?type=1", "?type=99999999999", "/1/2?type=8", "/%zz", "?%ff=%", "/..;/"]

const requests: fc.Arbitrary<WireRequest> = fc
  .record({
    vendor: fc.constantFrom(...Object.keys(signers)),
    form: fc.nat(),
    value: hostileValue,
    rest: fc.constantFrom(...paths),
    isForged: fc.nat({ max: 4 }).map((roll) => roll === 0),
    method: fc.constantFrom("POST", "POST", "POST", "POST", "GET", "PUT", "HEAD", "DELETE"),
    name: fc.constantFrom(undefined, undefined, undefined, "", "none", "%zz", "__proto__"),
  })
  .map(({ form, isForged, method, name, rest, value, vendor }) => {
    const forms = bodies[vendor] ?? []
    const path = `/callbacks/${name ?? vendor}${rest}`
    const plain = Buffer.from(forms[form % forms.length]?.(value) ?? "", "utf8")
    const { body, headers } = signers[vendor]?.(plain, path) ?? { body: plain, headers: [] }
    const forged = Buffer.concat([body, Buffer.from(" ")])
    return {
      method,
      target: path,
      headers: [["host", "fuzz.example"], ...headers],
      ...(method === "GET" || method === "HEAD" ? {} : { body: isForged ? forged : body }),
    }
  })

const allowed = new Set([200, 400, 403, 404, 405])

const served = async (): Promise<
  AsyncDisposable & { readonly wires: ReadonlyMap<string, Wire> }
> => {
  const countersign = await quietEngine({
    gateways: [
      twilio({ accountSid: "AC1", authToken: secret, baseUrl: nothing }),
      whatsappCloud({
        accessToken: secret,
        phoneNumberId: "1",
        appSecret: secret,
        template: { name: "code" },
        baseUrl: nothing,
      }),
      smsGate({ credentials: { token: secret }, signingKey: secret, baseUrl: nothing }),
      vonage({
        auth: { apiKey: "k", apiSecret: secret },
        signatureSecret: secret,
        from: "880",
        baseUrl: nothing,
      }),
      kannel({ url: nothing, username: "u", password: secret, callbackSecret: secret }),
    ],
    callbacks: { publicUrl },
  })
  const servers = new Map<string, Server>()
  const wires = new Map<string, Wire>()
  for (const [name, mount] of Object.entries(mounts)) {
    const server = createServer(await mount(countersign.callbacks))
    servers.set(name, server)
    wires.set(name, new Wire(await listen(server)))
  }
  return {
    wires,
    [Symbol.asyncDispose]: async () => {
      for (const wire of wires.values()) wire.close()
      for (const server of servers.values()) end(server)
      await countersign.dispose()
    },
  }
}

/** Sends random reports to every mount. Gives the number of requests, and how often each status was the answer. */
export const fuzzCallbacks = async (seed: number, runs: number) => {
  await using app = await served()
  const statuses: Record<string, number> = {}
  let sent = 0
  const property = fc.asyncProperty(requests, async (request) => {
    let expected: string | undefined
    for (const [name, wire] of app.wires) {
      const answer: WireAnswer = await wire.send(bytesOf(request), request.method)
      sent += 1
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const own = differenceOf(name, request) === undefined ? textOf(answer) : undefined
      expected ??= own
      if (!allowed.has(answer.status) || (own !== undefined && own !== expected)) {
        throw new Error(
          `${name} answers\n${textOf(answer)}\nand not\n${expected}\nto\n${curlOf(request, wire.origin)}`,
        )
      }
    }
  })
  await fc.assert(property, { seed, numRuns: runs })
  return { sent, statuses }
}
