import { assert, describe } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Handler } from "@countersign/http/mount/WebHandler"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { connect, createServer as createHttp2Server } from "node:http2"
import * as Node from "../../src/Node.ts"
import { exchange, untilClosed } from "../support/raw.ts"
import { connection, listening } from "../../../../test/support/loopback.ts"
import { logged } from "../../../../test/support/observed.ts"
import { test, testsOver } from "../../../../test/support/testsOver.ts"

type Answer = (
  request: HttpServerRequest.HttpServerRequest,
) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>

type Read = (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<unknown, unknown>

const handlerOf = (answer: Answer): Handler =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => Effect.orDie(answer(request)))

/** A server of the host's with an application on it. */
const serve = Effect.fnUntraced(function* (answer: Answer) {
  const port = yield* listening(createServer(yield* Node.makeListener(handlerOf(answer))))
  const call = (init: RequestInit = {}, path = "/") =>
    Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`, init))
  return { call, port }
})

const textOf = (response: Response) => Effect.promise(() => response.text())

const json = (body: unknown) => Effect.succeed(HttpServerResponse.jsonUnsafe(body))

const { layer, lines } = logged()
const logging = testsOver(layer)

const form = (): FormData => {
  const data = new FormData()
  data.append("a", "1")
  return data
}

describe("a request", () => {
  test.live.each([
    ["text", "x", ({ text }) => text, '"x"'],
    ["JSON", '{"a":[1]}', (request) => request.json, '{"a":[1]}'],
    [
      "a form",
      new URLSearchParams({ a: "1 2" }),
      (request) => Effect.map(request.urlParamsBody, ({ params }) => params),
      '[["a","1 2"]]',
    ],
    [
      "bytes",
      "four",
      (request) => Effect.map(request.arrayBuffer, ({ byteLength }) => byteLength),
      "4",
    ],
    [
      "a stream",
      "x".repeat(300_000),
      (request) =>
        Stream.runFold(
          request.stream,
          () => 0,
          (length, chunk) => length + chunk.length,
        ),
      "300000",
    ],
    [
      "parts",
      form(),
      (request) =>
        Effect.map(Stream.runCollect(request.multipartStream), (parts) =>
          parts.map((part) => (part._tag === "Field" ? [part.key, part.value] : part._tag)),
        ),
      '[["a","1"]]',
    ],
  ] satisfies ReadonlyArray<readonly [string, BodyInit, Read, string]>)(
    "has a body that is read as %s",
    function* ([_what, body, read, expected]) {
      const answer: Read = read
      const { call } = yield* serve((request) => Effect.flatMap(answer(request), json))
      assert.strictEqual(yield* textOf(yield* call({ method: "POST", body })), expected)
    },
  )

  test.live("has the client's address and the target", function* () {
    const { call } = yield* serve(({ cookies, method, originalUrl, remoteAddress, url }) =>
      json([method, url, originalUrl, remoteAddress, cookies]),
    )
    const response = yield* call({ method: "PUT", headers: { cookie: "a=1; b=2" } }, "/x?y=z")
    const origin = new URL(response.url).origin
    assert.deepStrictEqual(JSON.parse(yield* textOf(response)), [
      "PUT",
      "/x?y=z",
      `${origin}/x?y=z`,
      { _id: "Option", _tag: "Some", value: "127.0.0.1" },
      { a: "1", b: "2" },
    ])
  })

  test.live("keeps the host's changes and its body", function* () {
    const { call } = yield* serve((request) => {
      const changed = request
        .modify({ remoteAddress: Option.some("198.51.100.7"), protocol: "https" })
        .modify({ url: "/y" })
      const { headers, peerAddress, protocol, url } = changed
      return Effect.flatMap(changed.text, (text) =>
        json([url, protocol, Option.getOrNull(peerAddress), headers["x-a"], text]),
      )
    })
    const response = yield* call({ method: "POST", body: "b", headers: { "x-a": "1" } })
    assert.deepStrictEqual(JSON.parse(yield* textOf(response)), [
      "/y",
      "https",
      "198.51.100.7",
      "1",
      "b",
    ])
  })

  test.live("of a proxy has its host in the target", function* () {
    const { port } = yield* serve(({ headers, url }) => json([headers["host"], url]))
    const bytes = "GET http://a.example/b?c HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"
    const { body } = yield* exchange(port, bytes)
    assert.deepStrictEqual(JSON.parse(body), ["a.example", "/b?c"])
  })

  test.live("can use HTTP/2", function* () {
    const answer: Answer = ({ headers, originalUrl, text, url }) =>
      Effect.flatMap(text, (body) => json([url, originalUrl, Object.keys(headers), body]))
    const listener = yield* Node.makeListener(handlerOf(answer))
    const server = createHttp2Server()
    // The compatible interface: Node's types keep the two apart.
    server.on("request", (request, response) => Reflect.apply(listener, null, [request, response]))
    const port = yield* listening(server)
    const session = connect(`http://127.0.0.1:${port}`)
    yield* Effect.addFinalizer(() => Effect.sync(() => session.close()))
    const body = yield* Effect.callback<string>((resume) => {
      const stream = session.request({ ":method": "POST", ":path": "/a?b" })
      let received = ""
      stream.setEncoding("utf8").on("data", (chunk) => (received += String(chunk)))
      stream.on("end", () => resume(Effect.succeed(received)))
      stream.end("hello")
    })
    const authority = `127.0.0.1:${port}`
    assert.deepStrictEqual(JSON.parse(body), ["/a?b", `http://${authority}/a?b`, ["host"], "hello"])
  })

  logging.live("of a disconnected client is interrupted without a log line", function* () {
    const begun = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const { port } = yield* serve(() =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Effect.interruptible(Effect.never)),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
      ),
    )
    const socket = yield* connection(port)
    socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
    yield* Deferred.await(begun)
    socket.destroy()
    yield* Deferred.await(interrupted)
    assert.deepStrictEqual(lines, [])
  })
})

describe("an unread body", () => {
  const refuse: Answer = () => Effect.succeed(HttpServerResponse.empty({ status: 401 }))
  const readSome: Answer = (request) =>
    request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(10)),
      Effect.match({
        onSuccess: () => HttpServerResponse.empty(),
        onFailure: () => HttpServerResponse.empty({ status: 413 }),
      }),
    )

  const unread = test.live.each([
    ["none of it was read", refuse, 401],
    ["a part was read", readSome, 413],
  ])

  unread("keeps the connection usable if %s", function* ([_what, answer, status]) {
    const { port } = yield* serve(answer)
    const socket = yield* connection(port)
    const body = "x".repeat(100_000)
    const request = `POST / HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\n`
    socket.write(`${request}\r\n${body}${request}Connection: close\r\n\r\n${body}`)
    const text = yield* untilClosed(socket)
    assert.lengthOf(text.match(new RegExp(`HTTP/1.1 ${status}`, "g")) ?? [], 2)
  })

  unread("closes the connection if it is endless and %s", function* ([_what, answer, status]) {
    const { port } = yield* serve(answer)
    const socket = yield* connection(port)
    socket.write("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`
    const pump = (): void => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on("drain", pump)
    pump()
    assert.include(yield* untilClosed(socket), `HTTP/1.1 ${status}`)
  })
})

describe("a response", () => {
  test.live("of a host keeps its headers, also without a body", function* () {
    const cookies = ["a=1; Path=/; HttpOnly", "b=2; Path=/; Foreign=yes"]
    const { call } = yield* serve(() => {
      const own = new Response(null, {
        status: 204,
        headers: cookies.map((one) => ["set-cookie", one]),
      })
      const raw = HttpServerResponse.raw(own, { status: own.status })
      return Effect.succeed(HttpServerResponse.setCookieUnsafe(raw, "c", "3"))
    })
    const response = yield* call()
    assert.strictEqual(response.status, 204)
    assert.deepStrictEqual(response.headers.getSetCookie(), [...cookies, "c=3"])
  })

  const streamed = HttpServerResponse.stream(
    Stream.make(new TextEncoder().encode("one "), new TextEncoder().encode("two")),
  )

  test.live.each([
    ["text", () => HttpServerResponse.text("one two")],
    ["bytes", () => HttpServerResponse.uint8Array(new TextEncoder().encode("one two"))],
    ["a stream", () => streamed],
    ["a web response", () => HttpServerResponse.fromWeb(new Response("one two"))],
  ] as const)("can be %s", function* ([_what, answer]) {
    const { call } = yield* serve(() =>
      Effect.succeed(
        HttpServerResponse.setHeader(answer(), "x-a", "b").pipe(
          HttpServerResponse.setCookieUnsafe("c", "1"),
          HttpServerResponse.setCookieUnsafe("d", "2"),
        ),
      ),
    )
    const response = yield* call()
    assert.strictEqual(yield* textOf(response), "one two")
    assert.strictEqual(response.headers.get("x-a"), "b")
    assert.deepStrictEqual(response.headers.getSetCookie(), ["c=1", "d=2"])
    const head = yield* call({ method: "HEAD" })
    assert.deepStrictEqual([head.status, head.headers.get("x-a")], [200, "b"])
    // The connection is in order: nothing of a body came after the headers.
    assert.strictEqual(yield* textOf(yield* call()), "one two")
  })

  test.live("without content has no length", function* () {
    const { call } = yield* serve(() =>
      Effect.succeed(HttpServerResponse.text("nothing", { status: 204 })),
    )
    const response = yield* call()
    assert.deepStrictEqual([response.status, response.headers.get("content-length")], [204, null])
  })

  logging.live("that Node rejects becomes a logged 500", function* () {
    const { call } = yield* serve(() =>
      Effect.succeed(HttpServerResponse.text("x", { headers: { "x-a": "\u0000" } })),
    )
    assert.strictEqual((yield* call()).status, 500)
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "An answer could not be written")
  })

  logging.live("whose stream fails is cut off, and logged", function* () {
    const arrived = yield* Deferred.make<void>()
    const { port } = yield* serve(() =>
      Effect.succeed(
        HttpServerResponse.stream(
          Stream.concat(
            Stream.make(new Uint8Array([120])),
            Stream.fromEffect(
              Effect.andThen(Deferred.await(arrived), Effect.fail(new Error("lost"))),
            ),
          ),
        ),
      ),
    )
    const socket = yield* connection(port)
    socket.once("data", () => Deferred.doneUnsafe(arrived, Effect.void))
    socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
    const text = yield* untilClosed(socket)
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.notInclude(text, "\r\n0\r\n\r\n")
    assert.lengthOf(lines, 1)
  })
})
