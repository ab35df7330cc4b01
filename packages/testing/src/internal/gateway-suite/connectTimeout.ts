import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Where undici, the base of Node's `fetch`, keeps its dispatcher. */
const dispatcher = Symbol.for("undici.globalDispatcher.1")

/** The error with which undici ends an unanswered attempt to connect. */
const givenUp = (): Error =>
  Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" })

/**
 * Makes every connection of `fetch` time out until the scope closes, as for a host that drops packets, but
 * without undici's real ten seconds. Only the connect is replaced: the agent and `fetch` are real.
 */
export const connectionsTimeOut: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
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
