import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { staged } from "./httpStage.ts"
import type { Test } from "./plan.ts"
import { message, type Options } from "./subject.ts"

/** Where undici, the base of Node's `fetch`, keeps its dispatcher. */
const dispatcher = Symbol.for("undici.globalDispatcher.1")

/** The error with which undici ends an unanswered attempt to connect. */
const givenUp = (): Error =>
  Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" })

/**
 * Makes every connection of `fetch` time out until the scope closes, as for a host that drops packets, but
 * without undici's real ten seconds. Only the connect is replaced: the agent and `fetch` are real.
 */
const connectionsTimeOut: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    // Loads undici, which Node loads on first use.
    void new Response()
    const before: unknown = Reflect.get(globalThis, dispatcher)
    if (typeof before !== "object" || before === null) throw new TypeError("Needs Node's fetch")
    const connect = (_: unknown, done: (error: Error, socket: null) => void): void => {
      setImmediate(() => done(givenUp(), null))
    }
    Reflect.set(globalThis, dispatcher, Reflect.construct(before.constructor, [{ connect }]))
    return before
  }),
  (before) => Effect.sync(() => Reflect.set(globalThis, dispatcher, before)),
).pipe(Effect.asVoid)

/**
 * Time after which Node's `fetch` gives up a connection: undici's default of ten seconds, and up to one more
 * until it checks its timer.
 */
const connectMillis = 11_000

/** Tests the outcome when a host drops every attempt to connect. */
export const deadHostSection = (test: Test, options: Options): void => {
  const sample = message({ ...options.message, ...options.accepted.message })

  test("reports that nothing was sent when no host answers the connection", function* (tell) {
    const { adapter, vendor } = yield* staged(options, {
      _tag: "Answer",
      ...options.accepted.answer,
    })
    yield* connectionsTimeOut
    const outcome = yield* adapter.gateway.send(sample)
    tell(outcome)
    assert.strictEqual(outcome._tag, "NotSent")
    assert.strictEqual(vendor.requests.length, 0)
  })

  test("has a time-out that is longer than its connection attempt", function* () {
    const { adapter } = yield* staged(options, { _tag: "Silence" })
    assert.isAbove(adapter.gateway.capabilities.timeoutMillis, connectMillis)
  })
}
