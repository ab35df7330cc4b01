import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Where undici, which Node's `fetch` is made of, keeps who connects for it. */
const dispatcher = Symbol.for("undici.globalDispatcher.1")

/** How undici ends an attempt to connect that nobody answers. */
const givenUp = (): Error =>
  Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" })

/**
 * Lets every connection of `fetch` end as one to a host that drops it, for as long as the scope lasts,
 * without the ten seconds that undici takes for that: its timer is real, and so are the agent and the
 * `fetch` around this one connection.
 */
export const connectionsTimeOut: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    // Loads undici, which Node does when it is needed.
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
