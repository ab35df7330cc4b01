import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ServerResponse } from "node:http"
import { connect, type LookupFunction } from "node:net"
import { make, maxAnswerBytes, maxIdleConnections, type Options } from "../src/WebhookTransport.ts"
import { receiver } from "./support/receiver.ts"
import { test } from "../../../test/support/testsOver.ts"

const local: Options = { allowHttp: true, allowPrivateAddresses: true }

const post = (
  transport: Effect.Success<ReturnType<typeof make>>,
  url: string,
  body = '{"a":"ক"}',
) => transport.post({ url, headers: { "webhook-id": "evt_1" }, body })

const answering = Effect.fnUntraced(function* (
  answer: (response: ServerResponse) => void,
  options: Options = local,
) {
  const transport = yield* make(options)
  const server = yield* receiver(answer)
  return { server, send: post(transport, `http://127.0.0.1:${server.port}/hook?a=1`) }
})

/** A resolver that answers with these addresses. */
const resolving =
  (...addresses: ReadonlyArray<string>): LookupFunction =>
  (_name, options, done) => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    if (options.all === true) done(null, found)
    else done(null, found[0]?.address ?? "", found[0]?.family)
  }

const code = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { location: "http://127.0.0.1/other" }).end("no")
}

describe("WebhookTransport", () => {
  test.live("posts a body with its headers, and returns the status", function* () {
    const { send, server } = yield* answering((response) =>
      response.writeHead(204, { "retry-after": "7" }).end(),
    )
    const answer = { _tag: "Answered", status: 204, retryAfter: "7", start: "" } as const
    assert.deepStrictEqual(yield* send, answer)
    const [received] = server.requests
    assert.deepStrictEqual(
      [received?.request.method, received?.request.url, received?.body],
      ["POST", "/hook?a=1", '{"a":"ক"}'],
    )
    assert.strictEqual(received?.request.headers["webhook-id"], "evt_1")
  })

  test.live("uses a connection again", function* () {
    const { send, server } = yield* answering(code(200))
    for (let count = 0; count < 5; count++) yield* send
    assert.deepStrictEqual([server.requests.length, server.connections()], [5, 1])
  })

  test.live("does not wait for requests that hang, also at the same receiver", function* () {
    const transport = yield* make(local)
    const isHanging = yield* Deferred.make<void>()
    const count = 300
    const server = yield* receiver((response, { url }) => {
      if (url === "/fast") response.writeHead(200).end()
      else if (server.requests.length === count) Deferred.doneUnsafe(isHanging, Effect.void)
    })
    const base = `http://127.0.0.1:${server.port}`
    const hang = Effect.forkScoped(post(transport, `${base}/hang`))
    yield* Effect.replicateEffect(hang, count, { discard: true })
    yield* Deferred.await(isHanging)
    assert.deepInclude(yield* post(transport, `${base}/fast`), { status: 200 })
  })

  test.live(
    "keeps a bounded number of connections, the newest, and never waits for one",
    function* () {
      const transport = yield* make({ ...local, lookup: resolving("127.0.0.1") })
      const server = yield* receiver(code(200))
      const to = (index: number) => post(transport, `http://r${index}.test:${server.port}`)
      const count = maxIdleConnections + 20
      for (let index = 0; index < count; index++) {
        assert.deepInclude(yield* to(index), { status: 200 })
      }
      assert.strictEqual(server.connections(), count)
      // The newest connection is used again, and the first was closed.
      yield* to(count - 1)
      assert.strictEqual(server.connections(), count)
      yield* to(0)
      assert.strictEqual(server.connections(), count + 1)
    },
  )

  test.live("sends again over a new connection if a kept one was closed", function* () {
    let isClosing = false
    const { send, server } = yield* answering((response) => {
      if (isClosing) response.socket?.destroy()
      else response.writeHead(200).end()
      isClosing = false
    })
    yield* send
    isClosing = true
    assert.deepInclude(yield* send, { status: 200 })
    assert.deepStrictEqual([server.requests.length, server.connections()], [3, 2])
  })

  test.live("follows no redirect", function* () {
    for (const status of [301, 302, 307, 308]) {
      const { send, server } = yield* answering(code(status))
      assert.deepInclude(yield* send, { status, start: "no" })
      assert.strictEqual(server.requests.length, 1)
    }
  })

  test.live("says why there is no answer", function* () {
    const reset = yield* answering((response) => response.socket?.resetAndDestroy())
    const closed = "The connection was closed"
    assert.deepStrictEqual(yield* reset.send, { _tag: "Unanswered", error: closed })
    const transport = yield* make(local)
    const refused = yield* Effect.scoped(
      Effect.map(receiver(code(200)), ({ port }) => `http://127.0.0.1:${port}`),
    )
    const error = "The connection was refused"
    assert.deepStrictEqual(yield* post(transport, refused), { _tag: "Unanswered", error })
    const nameless = yield* make({
      ...local,
      lookup: (_name, _options, done) =>
        done(Object.assign(new Error("secret"), { code: "ENOTFOUND" }), ""),
    })
    assert.deepStrictEqual(yield* post(nameless, "http://receiver.test"), {
      _tag: "Unanswered",
      error: "The name does not resolve",
    })
  })

  test.live("sends nothing to a server without TLS at an https address", function* () {
    const transport = yield* make(local)
    const server = yield* receiver(code(200))
    const { error } = yield* Effect.map(
      post(transport, `https://127.0.0.1:${server.port}`),
      (answer) => (answer._tag === "Unanswered" ? answer : { error: "" }),
    )
    assert.match(error, /^The (request failed|connection was closed)/)
    assert.deepStrictEqual(server.requests, [])
  })

  test.live("reads a bounded part of an answer, for a bounded time", function* () {
    const isClosed = yield* Deferred.make<void>()
    const endless = yield* answering((response) => {
      response.writeHead(200)
      const write = (): void => {
        if (!response.destroyed && response.write("a".repeat(maxAnswerBytes))) {
          setImmediate(write)
        }
      }
      response.on("drain", write)
      response.on("close", () => Deferred.doneUnsafe(isClosed, Effect.void))
      write()
    })
    assert.deepInclude(yield* endless.send, { status: 200 })
    yield* Deferred.await(isClosed)
    const hanging = yield* answering((response) => response.writeHead(200).write("a"))
    assert.deepInclude(yield* hanging.send, { status: 200 })
  })

  test.live("returns the first 4,096 bytes of an answer, and no part of a character", function* () {
    const { send } = yield* answering((response) => {
      response.writeHead(500).write(`a${"ক".repeat(100)}`)
      response.end("ক".repeat(2_000))
    })
    assert.deepInclude(yield* send, { status: 500, start: `a${"ক".repeat(1_365)}` })
    const broken = yield* answering((response) => response.writeHead(200).end(Buffer.of(255, 65)))
    assert.deepInclude(yield* broken.send, { start: "\ufffdA" })
  })

  test.live("closes the connection of a request that is interrupted", function* () {
    const isReceived = yield* Deferred.make<void>()
    const isClosed = yield* Deferred.make<void>()
    const { send } = yield* answering((response) => {
      response.on("close", () => Deferred.doneUnsafe(isClosed, Effect.void))
      Deferred.doneUnsafe(isReceived, Effect.void)
    })
    const fiber = yield* Effect.forkChild(send)
    yield* Deferred.await(isReceived)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(isClosed)
  })

  const literals = [
    "http://127.0.0.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://0177.0.0.1",
    "http://127.1",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://[64:ff9b::7f00:1]",
    "http://169.254.169.254",
    "http://１２７.０.０.１",
  ]

  test.live(
    "connects to no address of a private network that is written into the URL",
    function* () {
      const transport = yield* make({ allowHttp: true })
      const server = yield* receiver(code(200))
      const error = "The address is not public"
      for (const literal of literals) {
        const url = new URL(literal)
        url.port = String(server.port)
        assert.strictEqual(transport.problemOf(url), error)
        assert.deepStrictEqual(yield* post(transport, url.href), { _tag: "Unanswered", error })
      }
      assert.strictEqual(server.connections(), 0)
    },
  )

  test.live("connects to no name that leads to a private network", function* () {
    const server = yield* receiver(code(200))
    const error = "The address is not public"
    const lookups: ReadonlyArray<LookupFunction> = [
      resolving("127.0.0.1"),
      resolving("::1"),
      // One address of several.
      resolving("1.1.1.1", "127.0.0.1"),
      resolving("127.0.0.1", "1.1.1.1"),
      resolving("::ffff:127.0.0.1"),
      resolving(),
    ]
    for (const lookup of lookups) {
      const transport = yield* make({ allowHttp: true, lookup })
      const url = `http://receiver.test:${server.port}`
      assert.isUndefined(transport.problemOf(new URL(url)))
      assert.deepStrictEqual(yield* post(transport, url), { _tag: "Unanswered", error })
    }
    const system = yield* make({ allowHttp: true })
    const named = yield* post(system, `http://localhost:${server.port}`)
    assert.deepStrictEqual(named, { _tag: "Unanswered", error })
    assert.strictEqual(server.connections(), 0)
  })

  test.live(
    "connects to the address that it has checked, and resolves the name once",
    function* () {
      let lookups = 0
      const first = resolving("127.0.0.1")
      const transport = yield* make({
        ...local,
        lookup: (...args) => {
          lookups += 1
          first(...args)
        },
      })
      const server = yield* receiver(code(200))
      assert.deepInclude(yield* post(transport, `http://receiver.test:${server.port}`), {
        status: 200,
      })
      assert.strictEqual(lookups, 1)
      assert.strictEqual(server.requests[0]?.request.headers.host, `receiver.test:${server.port}`)
    },
  )

  test.live("allows https only, unless its options say otherwise", function* () {
    const strict = yield* make()
    const loose = yield* make({ allowHttp: true })
    const problems = (transport: typeof strict) =>
      ["https://a.test", "http://a.test", "ftp://a.test", "file:///etc/passwd", "data:,a"].map(
        (url) => transport.problemOf(new URL(url)) ?? "",
      )
    const refused = "must use https"
    assert.deepStrictEqual(problems(strict), ["", refused, refused, refused, refused])
    assert.deepStrictEqual(problems(loose), ["", "", refused, refused, refused])
    assert.deepStrictEqual(yield* post(strict, "http://a.test"), {
      _tag: "Unanswered",
      error: refused,
    })
  })

  test.live("leaves no connection open when it ends", function* () {
    const server = yield* receiver(code(200))
    const isClosed = yield* Deferred.make<void>()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const transport = yield* make(local)
        yield* post(transport, `http://127.0.0.1:${server.port}`)
        for (const socket of server.sockets) {
          socket.once("close", () => Deferred.doneUnsafe(isClosed, Effect.void))
        }
      }),
    )
    yield* Deferred.await(isClosed)
    // The server itself still accepts connections.
    const socket = connect(server.port, "127.0.0.1")
    yield* Effect.promise(() => new Promise((resolve) => socket.once("connect", resolve)))
    socket.destroy()
  })
})
