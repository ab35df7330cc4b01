/** What is certain of a request that has got no answer. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { request as requestOverHttps } from "node:https"
import { connect, createServer as createTcpServer } from "node:net"
import {
  createServer as createTlsServer,
  setDefaultCACertificates,
  type TlsOptions,
} from "node:tls"
import { test } from "../support/gatewayTest.ts"
import { listening } from "../support/loopback.ts"
import { testsOver } from "../support/testsOver.ts"
import { selfSigned } from "../../packages/testing/src/internal/gateway-suite/certificate.ts"
import { exchange } from "../../packages/gateways/src/internal/exchange.ts"

const { cert, key } = selfSigned()
// For this file's process alone.
setDefaultCACertificates([cert])

interface Vendor {
  readonly port: number
  /** How many bytes of requests it has read. */
  readonly read: () => number
}

/** A server of TLS that answers no request. */
const tlsVendor = Effect.fnUntraced(function* (options: TlsOptions) {
  let read = 0
  const server = createTlsServer({ key, cert, ...options }, (socket) => {
    socket.on("error", () => {})
    socket.on("data", (data) => {
      read += data.length
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
    })
  })
  server.on("tlsClientError", () => {})
  return { port: yield* listening(server), read: () => read }
})

/** What stands before a vendor, and puts another record in the place of each once a request was read. */
const spoiling = Effect.fnUntraced(function* (vendor: Vendor) {
  const server = createTcpServer((client) => {
    const upstream = connect(vendor.port, "127.0.0.1")
    for (const socket of [client, upstream]) socket.on("error", () => {})
    client.on("data", (data) => upstream.write(data))
    client.on("close", () => upstream.destroy())
    // An alert in clear, where by now all is encrypted.
    upstream.on("data", (data) =>
      client.write(vendor.read() > 0 ? Buffer.from([21, 3, 3, 0, 2, 2, 40]) : data),
    )
  })
  return { ...vendor, port: yield* listening(server) }
})

/** A `fetch` over Node's own client, which words failures in another way than that of the platform. */
const overHttps: typeof globalThis.fetch = (input, init) =>
  new Promise((resolve, reject) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const outgoing = requestOverHttps(url, { method: init?.method ?? "GET", agent: false })
    outgoing.on("response", ({ statusCode }) =>
      resolve(new Response("", { status: statusCode ?? 200 })),
    )
    outgoing.on("error", reject)
    outgoing.end("text=hello")
  })

const post = (port: number) =>
  Effect.gen(function* () {
    const request = HttpClientRequest.post(`https://localhost:${port}/send`)
    const client = yield* HttpClient.HttpClient
    return yield* exchange(client, HttpClientRequest.bodyText(request, "text=hello"))
  }).pipe(Effect.provide(FetchHttpClient.layer))

const clients = [
  [
    "the platform's fetch",
    globalThis.fetch,
    {
      _tag: "NotSent",
      message: "No connection to the gateway (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)",
    },
  ],
  // It has written the request before it knows: its word for that is the same as for a write that fails later.
  [
    "Node's client",
    overHttps,
    { _tag: "Unknown", message: "The gateway's answer was lost (EPROTO)" },
  ],
] as const

/** Tests whose requests take this way. */
const over = (fetch: typeof globalThis.fetch) =>
  testsOver(Layer.succeed(FetchHttpClient.Fetch, fetch))

for (const [name, fetch, refused] of clients) {
  const { live } = over(fetch)

  describe(`a request over ${name}`, () => {
    live(`is ${refused._tag} if the TLS versions do not match`, function* () {
      const vendor = yield* tlsVendor({
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "DEFAULT@SECLEVEL=0",
      })
      const { port, read } = vendor
      assert.deepStrictEqual(yield* post(port), refused)
      assert.strictEqual(read(), 0)
    })

    live("may have been read if the TLS 1.3 vendor requires a client certificate", function* () {
      const { port } = yield* tlsVendor({ requestCert: true, minVersion: "TLSv1.3" })
      assert.strictEqual((yield* post(port))._tag, "Unknown")
    })

    live("may have been read if the peer does not speak TLS", function* () {
      const server = createTcpServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"))
      })
      assert.strictEqual((yield* post(yield* listening(server)))._tag, "Unknown")
    })
  })
}

describe("a request that the vendor has received", () => {
  // The platform's hides it, and waits: the gateway's time-out ends that.
  over(overHttps).live.each(["TLSv1.2", "TLSv1.3"])(
    "may have taken effect if the connection of %s breaks afterwards",
    function* (version) {
      const vendor = yield* tlsVendor({ minVersion: version, maxVersion: version })
      const { port, read } = yield* spoiling(vendor)
      assert.strictEqual((yield* post(port))._tag, "Unknown")
      assert.isAbove(read(), 0)
    },
  )
})

describe("a connection error", () => {
  const table = [
    ["ECONNREFUSED", "connect", "NotSent"],
    ["ENOTFOUND", "getaddrinfo", "NotSent"],
    ["EHOSTUNREACH", "connect", "NotSent"],
    ["EHOSTUNREACH", "read", "Unknown"],
    ["ENETUNREACH", "connect", "NotSent"],
    ["ENETUNREACH", "write", "Unknown"],
    ["ETIMEDOUT", "connect", "NotSent"],
    ["ETIMEDOUT", "read", "Unknown"],
    ["ECONNRESET", "read", "Unknown"],
    ["EPROTO", "write", "Unknown"],
    ["EPIPE", "write", "Unknown"],
  ] as const
  test.each(table)("%s at %s → %s", function* ([code, syscall, outcome]) {
    const socket = Object.assign(new Error("secret"), { code, syscall })
    const failing: typeof globalThis.fetch = () =>
      Promise.reject(
        new TypeError("fetch failed", { cause: new AggregateError([socket], "all failed") }),
      )
    const silence = yield* Effect.provideService(post(1), FetchHttpClient.Fetch, failing)
    assert.strictEqual(silence._tag, outcome)
    assert.notInclude(JSON.stringify(silence), "secret")
  })
})
