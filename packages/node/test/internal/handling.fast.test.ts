import type * as WebHandler from "@countersign/http/mount/WebHandler"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import { handlerIn } from "../../src/internal/handling.ts"
import { NodeRequest } from "../../src/internal/nodeRequest.ts"
import { exchange } from "../support/raw.ts"
import { connection, listening } from "../../../../test/support/loopback.ts"
import { recording } from "../../../../test/support/observed.ts"
import { test } from "../../../../test/support/testsOver.ts"

const slow = HttpServerResponse.text("by the handler")

interface Served {
  readonly answer?: (body: string) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  readonly handler?: WebHandler.Handler
  /** Called when the fast path has admitted a request. */
  readonly onAdmitted?: () => void
  readonly onEnd?: () => void
}

/** A server whose fast path takes every request with a body. */
const serve = Effect.fnUntraced(function* (served: Served) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const events: Array<string> = []
  const echo = (body: string) => Effect.sync(() => HttpServerResponse.text(`fast ${body}`))
  const { answer = echo, handler = Effect.succeed(slow) } = served
  const handle = yield* handlerIn(scope, {
    handler,
    fastPath: (request) => {
      if (request.headers["content-length"] === undefined) return undefined
      served.onAdmitted?.()
      return {
        route: "/echo",
        visit: { extend: () => () => {} },
        answer: (body) => answer(new TextDecoder().decode(body)),
        end: () => {
          events.push("end")
          served.onEnd?.()
        },
      }
    },
  })
  const server = createServer((request, response) => handle(new NodeRequest(request, response)))
  const port = yield* listening(server)
  return { events, port, stop: Scope.close(scope, Exit.void) }
})

const post = (body: string, length = Buffer.byteLength(body)): string =>
  `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`

describe("the fast path", () => {
  test.live("answers with the body that it has read, and ends the call once", function* () {
    const { events, port } = yield* serve({})
    const { body, status } = yield* exchange(port, post("ü"))
    assert.deepStrictEqual([status, body], [200, "fast ü"])
    assert.deepStrictEqual(events, ["end"])
  })

  test.live("leaves a request that it does not take to the handler", function* () {
    const { events, port } = yield* serve({})
    const { body } = yield* exchange(
      port,
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    )
    assert.deepStrictEqual([body, events], ["by the handler", []])
  })

  test.live("makes one span for a request, which continues the trace of the client", function* () {
    const { layer, spans } = recording()
    const { port } = yield* serve({}).pipe(Effect.provide(layer))
    const trace = "0af7651916cd43dd8448eb211c80319c"
    const traceparent = `00-${trace}-b7ad6b7169203331-01`
    const request = post("x").replace("\r\n\r\n", `\r\nTraceparent: ${traceparent}\r\n\r\n`)
    assert.strictEqual((yield* exchange(port, request)).body, "fast x")
    assert.deepStrictEqual(
      spans.map(({ attributes, kind, name, status, traceId }) => [
        name,
        kind,
        traceId,
        status._tag,
        Object.fromEntries(attributes),
      ]),
      [
        [
          "POST /echo",
          "server",
          trace,
          "Ended",
          {
            "http.request.method": "POST",
            "http.route": "/echo",
            "http.response.status_code": 200,
          },
        ],
      ],
    )
  })

  test.live("ends the call of a client that disconnects before its body", function* () {
    const admitted = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const { events, port } = yield* serve({
      answer: () => Effect.die("A body without its end was answered"),
      onAdmitted: () => Deferred.doneUnsafe(admitted, Exit.void),
      onEnd: () => Deferred.doneUnsafe(ended, Exit.void),
    })
    const socket = yield* connection(port)
    socket.write(post("x", 10))
    yield* Deferred.await(admitted)
    socket.destroy()
    yield* Deferred.await(ended)
    assert.deepStrictEqual(events, ["end"])
  })

  test.live("completes the call of a client that disconnects after its body", function* () {
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const { port } = yield* serve({
      answer: () =>
        Effect.as(Effect.andThen(Deferred.succeed(begun, void 0), Deferred.await(go)), slow),
      onEnd: () => Deferred.doneUnsafe(ended, Exit.void),
    })
    const socket = yield* connection(port)
    socket.write(post("x"))
    yield* Deferred.await(begun)
    socket.destroy()
    yield* Deferred.succeed(go, void 0)
    yield* Deferred.await(ended)
  })

  test.live(
    "interrupts at its end the calls that are still running, and those that come later",
    function* () {
      const begun = yield* Deferred.make<void>()
      const { events, port, stop } = yield* serve({
        answer: (body) =>
          body === "short"
            ? Effect.succeed(slow)
            : Effect.andThen(Deferred.succeed(begun, void 0), Effect.interruptible(Effect.never)),
      })
      // Its place is free again.
      assert.strictEqual((yield* exchange(port, post("short"))).status, 200)
      const sending = yield* Effect.forkChild(exchange(port, post("long")))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* exchange(port, post("short"))).status, 200)
      yield* stop
      assert.isAtLeast((yield* Fiber.join(sending)).status, 499)
      assert.isAtLeast((yield* exchange(port, post("long"))).status, 499)
      assert.deepStrictEqual(events, ["end", "end", "end", "end"])
    },
  )

  test.live("responds to an interruption as the handler does", function* () {
    const { events, port } = yield* serve({
      answer: () => Effect.interrupt,
      handler: Effect.interrupt,
    })
    const fast = yield* exchange(port, post("x"))
    const handled = yield* exchange(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert.deepStrictEqual([fast.status, fast.body], [handled.status, handled.body])
    assert.isAtLeast(fast.status, 499)
    assert.deepStrictEqual(events, ["end"])
  })
})
