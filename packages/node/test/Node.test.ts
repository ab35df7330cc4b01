import { Messages } from "@countersign/core/services/Messages"
import { Metrics } from "@countersign/core/services/Metrics"
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as diagnostics from "node:diagnostics_channel"
import { Server } from "node:http"
import * as Node from "../src/Node.ts"
import { exchange, untilClosed } from "./support/raw.ts"
import { connection } from "../../../test/support/loopback.ts"
import { logged } from "../../../test/support/observed.ts"
import { test, testsOver } from "../../../test/support/testsOver.ts"

const digits = "8801712345678"
const slow = "8801722222222"

/** Tells of a message to `slow` only when its time is over. */
const gatewayMillis = 150

const engine = TestEngine.layer({
  gateway: {
    behave: ({ phoneNumber }) =>
      phoneNumber === `+${slow}` ? { _tag: "NeverAnswer" } : { _tag: "Deliver" },
    capabilities: { timeoutMillis: gatewayMillis },
  },
})

/** A server, an organization on it, and a way to end the server alone. */
const serve = Effect.fnUntraced(function* (options: Partial<Node.ServerLayerOptions> = {}) {
  const services = yield* Layer.build(engine)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const server = yield* Layer.build(Node.layerServer({ port: 0, ...options })).pipe(
    Effect.provideContext(services),
    Scope.provide(scope),
  )
  const opened = yield* Effect.provideContext(TestEngine.open(), services)
  const { origin, port } = Context.get(server, Node.NodeServer)
  const authorization = `Bearer ${Redacted.value(opened.key)}`
  const headers = { authorization, "content-type": "application/json" }
  const call = (path: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const response = await fetch(`${origin}/api/v2${path}`, { headers, ...init })
      const body: unknown = await response.json()
      return { status: response.status, headers: response.headers, body }
    })
  const send = (to: string, init: RequestInit = {}) =>
    call("/messages", { method: "POST", body: JSON.stringify({ to, message: "hello" }), ...init })
  const stop = Scope.close(scope, Exit.void)
  return { ...opened, authorization, call, headers, origin, port, send, services, stop }
})

const { layer, lines } = logged()
const logging = testsOver(layer)

const head = (lines: ReadonlyArray<string>): string => `${lines.join("\r\n")}\r\n\r\n`

/** The head of a request that sends a message. */
const headOf = (authorization: string, ...others: ReadonlyArray<string>): string =>
  head([
    "POST /api/v2/messages HTTP/1.1",
    "Host: test",
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    ...others,
  ])

describe("serve", () => {
  test.live("serves the listener of a host until the scope ends", function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const listener: Node.Listener = ({ url }, response) => void response.end(url)
    const { origin } = yield* Scope.provide(Node.serve(listener, { port: 0 }), scope)
    const get = () => Effect.tryPromise(async () => (await fetch(`${origin}/own`)).text())
    assert.strictEqual(yield* get(), "/own")
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(get())))
  })

  test.effect(
    "fails the check of a balancer at its end, and still serves requests for a time",
    function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const listener: Node.Listener = (_, response) => void response.end()
      const options = { port: 0, readyPath: "/ready", shutdownWait: "10 seconds" } as const
      const { origin } = yield* Scope.provide(Node.serve(listener, options), scope)
      const get = (path: string) =>
        Effect.promise(async () => {
          const { headers, status } = await fetch(origin + path)
          return [status, headers.get("connection")]
        })
      assert.deepStrictEqual(yield* get("/ready"), [200, "keep-alive"])
      const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void), {
        startImmediately: true,
      })
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* get("/ready"), [503, "close"])
      assert.deepStrictEqual(yield* get("/own"), [200, "close"])
      assert.isUndefined(ending.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(ending)
    },
  )
})

describe("layerServer", () => {
  test.live("answers a balancer while the gate is full, and counts what it refuses", function* () {
    const { headers, origin, services } = yield* serve({ maxRequests: 0 })
    const get = (path: string) =>
      Effect.promise(async () => (await fetch(`${origin}/api/v2${path}`, { headers })).status)
    assert.strictEqual(yield* get("/balance"), 503)
    assert.strictEqual(yield* get("/ready"), 200)
    assert.strictEqual(yield* get("/health"), 200)
    assert.strictEqual(yield* get("/verify/health"), 503)
    const text = yield* Effect.provideContext(
      Metrics.use((metrics) => metrics.text),
      services,
    )
    const [, refused = "0"] = /^countersign_http_overloads_total (\d+)$/m.exec(text) ?? []
    assert.isAtLeast(Number(refused), 2)
  })

  test.effect("is not ready from the beginning of its end", function* () {
    const { call, stop } = yield* serve({ shutdownWait: "10 seconds" })
    assert.strictEqual((yield* call("/ready")).status, 200)
    const ending = yield* Effect.forkChild(stop, { startImmediately: true })
    const { body, status } = yield* call("/ready")
    assert.deepInclude(body, { reason: "draining" })
    assert.strictEqual(status, 503)
    assert.strictEqual((yield* call("/health")).status, 200)
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(ending)
  })

  test.live("answers HEAD and OPTIONS without a body", function* () {
    const { headers, origin } = yield* serve()
    const bare = (method: string) =>
      Effect.promise(async () => {
        const response = await fetch(`${origin}/api/v2/balance`, { method, headers })
        return [response.status, await response.text(), response.headers.get("content-length")]
      })
    const [status, text, length] = yield* bare("HEAD")
    assert.deepStrictEqual([status, text], [200, ""])
    assert.isAbove(Number(length), 0)
    assert.deepStrictEqual((yield* bare("OPTIONS")).slice(0, 2), [204, ""])
  })

  test.live("refuses a body that is too large before it is sent", function* () {
    const { authorization, port } = yield* serve()
    const socket = yield* connection(port)
    socket.write(headOf(authorization, "Content-Length: 100000000"))
    const text = yield* untilClosed(socket)
    assert.match(text, /^HTTP\/1\.1 413 /)
    assert.include(text, '{"error":"The body is too large"}')
  })

  test.live("stops reading a body that never ends", function* () {
    const { authorization, port } = yield* serve()
    const socket = yield* connection(port)
    const ended = yield* Effect.forkChild(untilClosed(socket), { startImmediately: true })
    socket.write(headOf(authorization, "Transfer-Encoding: chunked"))
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`
    let written = 0
    while (!socket.destroyed && written < 64 * 1_024 * 1_024) {
      const more = yield* Effect.callback<boolean>((resume) => {
        socket.write(chunk, (error) => resume(Effect.succeed(!(error instanceof Error))))
      })
      if (!more) break
      written += chunk.length
    }
    assert.match(yield* Fiber.join(ended), /^HTTP\/1\.1 413 /)
    // What fits into the buffers of two sockets, and the adapter's 256 KiB.
    assert.isBelow(written, 16 * 1_024 * 1_024)
  })

  test.live("keeps the connection after a slightly too large body", function* () {
    const { call } = yield* serve()
    for (let sent = 0; sent < 3; sent++) {
      const answer = yield* call("/messages", { method: "POST", body: "x".repeat(70_000) })
      assert.strictEqual(answer.status, 413)
    }
  })

  test.live("joins a body from chunks, also within characters", function* () {
    const { authorization, port } = yield* serve()
    const body = Buffer.from(JSON.stringify({ to: digits, message: "আপনার কোড" }))
    const socket = yield* connection(port)
    socket.write(headOf(authorization, "Connection: close", `Content-Length: ${body.length}`))
    for (const byte of body) {
      socket.write(Buffer.of(byte))
      yield* Effect.yieldNow
    }
    assert.match(yield* untilClosed(socket), /^HTTP\/1\.1 200 /)
  })

  test.live.each([
    ["no HTTP at all", "hello\r\n\r\n", 400, "Bad Request"],
    [
      "two lengths",
      head(["POST / HTTP/1.1", "Host: test", "Content-Length: 1", "Content-Length: 2"]),
      400,
      "Bad Request",
    ],
    [
      "a header that is too large",
      head(["GET / HTTP/1.1", "Host: test", `X: ${"x".repeat(20_000)}`]),
      431,
      "Request Header Fields Too Large",
    ],
  ] as const)("answers %s with a JSON error", function* ([_what, bytes, status, error]) {
    const { port } = yield* serve()
    const answer = yield* exchange(port, bytes)
    assert.strictEqual(answer.status, status)
    assert.include(answer.headers, "content-type: application/json")
    assert.include(answer.headers, "countersign-error: bad_request")
    assert.deepStrictEqual(JSON.parse(answer.body), { error })
  })

  logging.live("settles a message whose caller has disconnected, and logs no error", function* () {
    const { organization, send, services, stop } = yield* serve()
    const { dispatches } = Context.get(services, SimulatedGateway)
    const hangUp = new AbortController()
    const sending = yield* Effect.exit(send(slow, { signal: hangUp.signal })).pipe(
      Effect.forkChild({ startImmediately: true }),
    )
    while ((yield* dispatches) === 0) yield* Effect.yieldNow
    hangUp.abort()
    yield* Fiber.join(sending)
    // The end of the server waits for the settlement, although the caller has disconnected.
    yield* stop
    const log = yield* Messages.use((messages) => messages.list({ organization })).pipe(
      Effect.provideContext(services),
    )
    assert.deepStrictEqual(
      log.messages.map(({ status }) => status),
      ["unknown"],
    )
    assert.deepStrictEqual(lines, [])
  })

  test.live("lets pending requests finish at its end, and accepts no new one", function* () {
    const { origin, send, services, stop } = yield* serve()
    const { dispatches } = Context.get(services, SimulatedGateway)
    const sending = yield* Effect.forkChild(send(slow), { startImmediately: true })
    while ((yield* dispatches) === 0) yield* Effect.yieldNow
    const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
    const late = yield* Effect.exit(Effect.tryPromise(() => fetch(`${origin}/api/v2/balance`)))
    assert.isTrue(Exit.isFailure(late))
    const answer = yield* Fiber.join(sending)
    assert.strictEqual(answer.status, 500)
    assert.deepStrictEqual(answer.body, {
      error: "It is not known whether the message was sent",
      status: "unknown",
    })
    yield* Fiber.join(stopping)
  })

  test.live("does not wait beyond its bound for an endless request", function* () {
    const { authorization, port, stop } = yield* serve({ shutdownTimeout: "100 milliseconds" })
    const socket = yield* connection(port)
    socket.write(headOf(authorization, "Content-Length: 100"))
    const idle = yield* connection(port)
    const closed = yield* Effect.forkChild(
      Effect.all([untilClosed(socket), untilClosed(idle)], { concurrency: 2 }),
      { startImmediately: true },
    )
    yield* stop
    yield* Fiber.join(closed)
  })

  logging.live("survives a connection that cannot be accepted", function* () {
    const { call } = yield* serve()
    const server = yield* Effect.callback<Server>((resume) => {
      const onStart = (message: unknown): void => {
        diagnostics.unsubscribe("http.server.request.start", onStart)
        if (typeof message === "object" && message !== null && "server" in message) {
          if (message.server instanceof Server) resume(Effect.succeed(message.server))
        }
      }
      diagnostics.subscribe("http.server.request.start", onStart)
      Effect.runFork(call("/balance"))
    })
    server.emit("error", Object.assign(new Error("accept"), { code: "EMFILE" }))
    assert.strictEqual((yield* call("/balance")).status, 200)
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "EMFILE")
  })

  test.live("fails with a clear error if the port is in use", function* () {
    const { port } = yield* serve()
    const exit = yield* Effect.exit(serve({ port }))
    assert.isTrue(Exit.isFailure(exit))
    if (Exit.isFailure(exit)) assert.include(String(exit.cause), "ServeError")
  })
})
