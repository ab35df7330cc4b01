import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface Receiver {
  readonly port: number
  readonly requests: Array<{ readonly request: IncomingMessage; readonly body: string }>
  /** The connections that are open now, and the number of those that were ever made. */
  readonly sockets: Set<Socket>
  readonly connections: () => number
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server on a free port of this machine, until the scope ends. Keeps what it receives. */
export const receiver = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const requests: Array<{ request: IncomingMessage; body: string }> = []
        const sockets = new Set<Socket>()
        let connections = 0
        const server = createServer((request, response) => {
          let body = ""
          request.on("data", (chunk: Buffer) => (body += chunk.toString()))
          request.on("end", () => {
            requests.push({ request, body })
            answer(response, request)
          })
        })
        // Closes no idle connection.
        server.keepAliveTimeout = 0
        server.on("connection", (socket: Socket) => {
          connections += 1
          sockets.add(socket)
          socket.once("close", () => sockets.delete(socket))
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        return { server, port, requests, sockets, connections: () => connections }
      }),
      ({ server, sockets }) =>
        Effect.promise(async () => {
          for (const socket of sockets) socket.destroy()
          server.close()
          await once(server, "close")
        }),
    ),
    ({ server: _, ...one }): Receiver => one,
  )
