/**
 * Requests as bytes on a socket, for what no HTTP client would send.
 */
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import { connection } from "../../../../test/support/loopback.ts"

export interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

const answerOf = (text: string): RawAnswer => {
  const end = text.indexOf("\r\n\r\n")
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? Number.NaN),
    headers: text.slice(0, end).toLowerCase(),
    body: text.slice(end + 4),
  }
}

/** Everything that comes until the server closes the connection. */
export const untilClosed = (socket: Socket): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8")
    })
    socket.on("close", () => resume(Effect.succeed(text)))
  })

/** Sends bytes and reads the answer, after which the server has to close the connection. */
export const exchange = Effect.fnUntraced(function* (port: number, bytes: string | Uint8Array) {
  const socket = yield* connection(port)
  socket.write(bytes)
  return answerOf(yield* untilClosed(socket))
}, Effect.scoped)
