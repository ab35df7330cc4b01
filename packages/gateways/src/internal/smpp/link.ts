/**
 * Opens and closes the connection to a centre.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { connect as connectSecure, type ConnectionOptions } from "node:tls"

export interface Endpoint {
  readonly host: string
  readonly port: number
  /** TLS options. @defaultValue no TLS */
  readonly tls?: ConnectionOptions | undefined
}

/** The connection failed. `code` comes from the system or the TLS library and contains no address. */
export interface NoLink {
  readonly _tag: "NoLink"
  readonly code: string
}

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "no code"

/** Opens a connection that lasts until the scope closes. */
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
              // An IP address is not allowed as a server name.
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
        // Later errors show as the end of the connection. An `error` event without a listener would end Node.
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
