/**
 * A connection to a centre, from the first byte to the last.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { connect as connectSecure, type ConnectionOptions } from "node:tls"

export interface Endpoint {
  readonly host: string
  readonly port: number
  /** What TLS has to know; a connection in clear when left out. */
  readonly tls?: ConnectionOptions | undefined
}

/** There is no connection. The code is the system's or the library's, never an address. */
export interface NoLink {
  readonly _tag: "NoLink"
  readonly code: string
}

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "no code"

/** Opens a connection, which lasts as long as the scope. */
export const openLink = ({
  host,
  port,
  tls,
}: Endpoint): Effect.Effect<Socket, NoLink, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket, NoLink>((resume) => {
      const socket =
        tls === undefined
          ? connectPlain({ host, port })
          : connectSecure({
              // An address is no name that could be asked for.
              ...(isIP(host) === 0 ? { servername: host } : undefined),
              ...tls,
              host,
              port,
            })
      const fail = (error: Error) =>
        resume(Effect.fail<NoLink>({ _tag: "NoLink", code: codeOf(error) }))
      socket.once("error", fail)
      socket.once(tls === undefined ? "connect" : "secureConnect", () => {
        socket.off("error", fail)
        // What is wrong later shows as the end of the connection, and an error nobody hears ends Node.
        socket.on("error", () => socket.destroy())
        socket.setNoDelay(true)
        resume(Effect.succeed(socket))
      })
      return Effect.sync(() => {
        socket.on("error", () => {})
        socket.destroy()
      })
    }),
    (socket) => Effect.sync(() => socket.destroy()),
    { interruptible: true },
  )
