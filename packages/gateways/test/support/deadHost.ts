import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect } from "node:net"
import { Worker } from "node:worker_threads"

/** Listens, and never accepts a waiting connection. */
const listener = `
  const { createServer } = require("node:net")
  const { parentPort, workerData } = require("node:worker_threads")
  const server = createServer()
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(workerData), 0, 0))
  })
`

/** How many connections wait for a listener with a backlog of 1: one more than that. */
const waiting = 2

/**
 * The address of a host that drops every attempt to connect, as one does that has died behind its address:
 * its queue of connections is full.
 */
export const deadHost: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const lock = new SharedArrayBuffer(4)
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(listener, { eval: true, workerData: lock })),
    (one) =>
      Effect.promise(() => {
        Atomics.notify(new Int32Array(lock), 0)
        return one.terminate()
      }),
  )
  const port = yield* Effect.callback<number>((resume) => {
    worker.once("message", (message) => resume(Effect.succeed(Number(message))))
  })
  for (let index = 0; index < waiting; index++) {
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof connect>>((resume) => {
        const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
        socket.on("error", () => {})
      }),
      (socket) => Effect.sync(() => socket.destroy()),
    )
  }
  return `http://127.0.0.1:${port}`
})

/** Node's own `fetch`, which gives a connection up after a second at most and not after ten. */
export const impatientFetch = (): typeof fetch => {
  // Loads undici, which Node does when it is needed.
  void new Response()
  const agent: unknown = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"))
  if (typeof agent !== "object" || agent === null) throw new TypeError("Needs Node's fetch")
  const dispatcher: unknown = Reflect.construct(agent.constructor, [{ connect: { timeout: 1 } }])
  return (input, init) => fetch(input, Object.assign({}, init, { dispatcher }))
}
