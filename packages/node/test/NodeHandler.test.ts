import * as AdmissionGate from "@countersign/http/mount/AdmissionGate"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import * as Node from "../src/Node.ts"
import * as Loopback from "../../../test/support/loopback.ts"
import { test } from "../../../test/support/testsOver.ts"

const engine = TestEngine.layer()

/** A server of the host's, with the listener on it. */
const listening = (listener: Node.Listener) =>
  Effect.map(Loopback.listening(createServer(listener)), (port) => `http://127.0.0.1:${port}`)

/** A listener over a layer, which ends with the test. */
const listenerOver = (...args: Parameters<typeof Node.toNodeHandler>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Node.toNodeHandler(...args)),
      ({ dispose }) => Effect.promise(dispose),
    ),
    ({ listener }) => listener,
  )

/** The origin of a server with such a listener. */
const served = (...args: Parameters<typeof Node.toNodeHandler>) =>
  Effect.flatMap(listenerOver(...args), listening)

describe("toNodeHandler", () => {
  test.live("is a listener for the host's own server", function* () {
    const { dispose, listener } = Node.toNodeHandler(engine)
    const origin = yield* listening(listener)
    const response = yield* Effect.promise(() => fetch(`${origin}/api/v2/balance`))
    assert.strictEqual(response.status, 401)
    yield* Effect.promise(dispose)
    assert.strictEqual(dispose(), dispose())
  })

  test.live("delays requests until its services are built", function* () {
    const slowly = Layer.effectDiscard(Effect.sleep("50 millis"))
    const origin = yield* served(Layer.provideMerge(engine, slowly))
    const response = yield* Effect.promise(() => fetch(`${origin}/api/v2/balance`))
    assert.strictEqual(response.status, 401)
  })

  test.live(
    "rejects requests beyond its bounds before it reads them, and keeps the connection usable",
    function* () {
      const gate = AdmissionGate.makeAdmissionGate({ maxRequestsPerKey: 1 })
      const origin = yield* served(engine, { gate: gate })
      const call = () =>
        fetch(`${origin}/api/v2/verify`, {
          method: "POST",
          headers: { authorization: "Bearer csk", "content-type": "application/json" },
          body: JSON.stringify({ phone_number: "x".repeat(200_000) }),
        })
      const inside = {}
      assert.isTrue(gate.admit(inside, "Bearer csk"))
      for (let time = 0; time < 3; time++) {
        const refused = yield* Effect.promise(call)
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.strictEqual(refused.headers.get("countersign-error"), "unavailable")
        assert.strictEqual(refused.headers.get("cache-control"), "no-store")
        assert.deepStrictEqual(yield* Effect.promise(() => refused.json()), {
          error: "Temporarily unavailable",
          retry_after: 1,
        })
      }
      gate.release(inside)
      assert.strictEqual((yield* Effect.promise(call)).status, 401)
      assert.strictEqual(gate.size, 0)
    },
  )

  test.live(
    "starts a few requests of a key at a time, for every spelling of its header",
    function* () {
      // Room for all, but for no more than two in the line for later turns.
      const gate = AdmissionGate.makeAdmissionGate({ maxRequestsPerKey: 100 })
      const context = yield* Layer.build(engine)
      const { key } = yield* Effect.provideContext(TestEngine.open(), context)
      const options = { door: gate, maxRequestsPerKey: 2 }
      const listener = yield* listenerOver(Layer.succeedContext(context), options)
      const arrived: Array<Parameters<Node.Listener>> = []
      let crowd = 1
      const origin = yield* listening((request, response) => {
        arrived.push([request, response])
        // A whole crowd in one turn of the event loop.
        if (arrived.length === crowd) for (const one of arrived.splice(0)) listener(...one)
      })
      const call = (authorization: string) =>
        fetch(`${origin}/api/v2/balance`, { headers: { authorization } }).then(
          ({ status }) => status,
        )
      const spellings = ["Bearer", "bearer", "BEARER", "bEaReR"].flatMap((scheme) => [
        `${scheme} ${Redacted.value(key)}`,
        `${scheme}   ${Redacted.value(key)}`,
      ])
      assert.strictEqual(yield* Effect.promise(() => call(`Bearer ${Redacted.value(key)}`)), 200)
      crowd = spellings.length
      const statuses = yield* Effect.promise(() => Promise.all(spellings.map(call)))
      assert.deepStrictEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 200, 503, 503])
      const garbage = Array.from({ length: crowd }, (_, index) => `Bearer nonsense${index}`)
      const refused = yield* Effect.promise(() => Promise.all(garbage.map(call)))
      assert.deepStrictEqual(refused.toSorted(), [401, 401, 401, 401, 401, 401, 503, 503])
    },
  )

  test.live("answers 503 when its services cannot be built", function* () {
    const broken = Layer.effectDiscard(Effect.fail("no database"))
    const origin = yield* served(Layer.provideMerge(broken, engine))
    const response = yield* Effect.promise(() => fetch(`${origin}/api/v2/balance`))
    assert.strictEqual(response.status, 503)
    assert.strictEqual(response.headers.get("countersign-error"), "unavailable")
    assert.deepStrictEqual(yield* Effect.promise(() => response.json()), {
      error: "The service could not be started",
    })
  })

  test.live("does not hang if the body was already read", function* () {
    const listener = yield* listenerOver(engine)
    const origin = yield* listening((request, response) => {
      request.resume().on("end", () => listener(request, response))
    })
    const response = yield* Effect.promise(() =>
      fetch(`${origin}/api/v2/verify`, { method: "POST", body: "{}" }),
    )
    assert.strictEqual(response.status, 401)
  })
})
