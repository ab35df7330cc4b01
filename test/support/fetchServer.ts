/**
 * A server over a fetch handler, with nothing in between that knows the
 * interface: what a platform with web `Request`s does.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { listening } from "./loopback.ts"

export type FetchHandler = (request: Request, address: string | undefined) => Promise<Response>

const requestOf = async (incoming: IncomingMessage): Promise<Request> => {
  const { headers, method = "GET", url = "/" } = incoming
  // Read to its end, so that the connection can serve another request after any answer.
  const chunks: Array<Uint8Array> = []
  for await (const chunk of incoming) chunks.push(chunk)
  return new Request(new URL(url, `http://${headers.host}`), {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
    body: method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks),
  })
}

const answer = async (
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const response = await handler(await requestOf(incoming), incoming.socket.remoteAddress)
  outgoing.writeHead(response.status, [...response.headers].flat())
  outgoing.end(new Uint8Array(await response.arrayBuffer()))
}

/** Serves on a free port of loopback until the scope ends; gives the origin. */
export const serveFetch = (handler: FetchHandler): Effect.Effect<string, never, Scope.Scope> => {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy())
  })
  return Effect.map(listening(server), (port) => `http://127.0.0.1:${port}`)
}
