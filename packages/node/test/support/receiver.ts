import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { listening } from "../../../../test/support/loopback.ts"

export interface Receiver {
  readonly port: number
  readonly requests: Array<{ readonly request: IncomingMessage; readonly body: string }>
  /** The connections that are open now, and the number of those that were ever made. */
  readonly sockets: Set<Socket>
  readonly connections: () => number
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server on a free port of this machine, until the scope ends. Keeps what it receives. */
export const receiver = Effect.fnUntraced(function* (answer: Answer) {
  const requests: Receiver["requests"] = []
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
  const port = yield* listening(server)
  const made: Receiver = { port, requests, sockets, connections: () => connections }
  return made
})
