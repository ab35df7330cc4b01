/**
 * Servers of tests, on free ports of loopback.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import * as Http from "node:http"
import * as Https from "node:https"
import { connect, type Server, type Socket } from "node:net"

/** Listens on a free port, and gives it. */
export const listen = async (server: Server): Promise<number> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  return portOf(server)
}

export const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Accepts no more connections, and closes those of HTTP. */
export const end = (server: Server): void => {
  server.close()
  if (server instanceof Http.Server || server instanceof Https.Server) server.closeAllConnections()
}

/** Listens until the scope ends. Gives the port. */
export const listening = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () => Effect.sync(() => end(server)),
  )

/** A connection that ends with the scope. */
export const connection = (port: number): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  )
