/**
 * Ends a server without losing a request: readiness fails first, so that a balancer sends no more requests, then the
 * server closes.
 */
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import { millisOf } from "../options/check.ts"
import { shutdownInput } from "../options/optionShapes.ts"
import { check } from "../options/shape.ts"
import type { HttpServer, ShutdownInput } from "../types/countersign.ts"

/** Reads the input. Throws `ConfigurationError` for what it does not take. */
export const inputOf = (input: ShutdownInput, isProduction: boolean) => {
  check(shutdownInput, input, [])
  const { server, wait = isProduction ? "10 seconds" : "0 seconds" } = input
  return { server, waitMillis: millisOf("wait", wait) }
}

/** How often connections are closed that have become idle. */
const sweepMillis = 50

/** Calls a method that some servers have: the servers of `node:http2` close their sessions themselves. */
const call = (target: object, name: string, ...given: ReadonlyArray<unknown>): void => {
  const method: unknown = Reflect.get(target, name)
  if (typeof method === "function") Reflect.apply(method, target, given)
}

/** The server of Node inside Fastify's. */
const nodeServerOf = (server: HttpServer): object => {
  const inner: unknown = Reflect.get(server, "server")
  return typeof inner === "object" && inner !== null ? inner : server
}

/** Answers end their connections from now on, so that a balancer does not keep them for further requests. */
export const endConnections = (server: HttpServer): void =>
  call(nodeServerOf(server), "prependListener", "request", (_: unknown, response: object) => {
    Reflect.set(response, "shouldKeepAlive", false)
  })

const isNotRunning = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SERVER_NOT_RUNNING"

/** Closes the server when its requests are answered, at the latest after `limitMillis`. */
export const close = (server: HttpServer, limitMillis: number): Promise<void> => {
  const node = nodeServerOf(server)
  const closed = Effect.callback<void, unknown>((resume) => {
    server.close((error) =>
      resume(error && !isNotRunning(error) ? Effect.fail(error) : Effect.void),
    )
  })
  const sweep = Effect.sync(() => call(node, "closeIdleConnections")).pipe(
    Effect.delay(sweepMillis),
    Effect.forever,
  )
  const limit = Effect.sync(() => call(node, "closeAllConnections")).pipe(
    Effect.delay(limitMillis),
    Effect.andThen(Effect.never),
  )
  return Effect.runPromise(Effect.raceFirst(closed, Effect.raceFirst(sweep, limit)))
}

/** Waits until the time is over, or the engine is disposed. */
export const wait = (millis: number, disposing: Latch.Latch): Promise<void> =>
  Effect.runPromise(Effect.raceFirst(Effect.sleep(millis), disposing.await))
