import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { ReceivedRequest, VendorAnswer } from "./subject.ts"
import { selfSigned } from "./certificate.ts"

/** The vendor's reaction to a request. */
export type Conduct =
  | ({ readonly _tag: "Answer" } & VendorAnswer)
  /** No answer while the connection lasts. */
  | { readonly _tag: "Silence" }
  /** Resets the connection before the answer. */
  | { readonly _tag: "Reset" }
  /** Starts an answer and closes the connection in the middle. */
  | ({ readonly _tag: "Break" } & VendorAnswer)
  /** Starts an answer that never ends. */
  | ({ readonly _tag: "Endless" } & VendorAnswer)

export interface Vendor {
  readonly baseUrl: string
  /** Every request that was read completely. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** Sets the reaction to the next requests, which may depend on the request. */
  readonly conduct: (conduct: Conduct | ((request: ReceivedRequest) => Conduct)) => void
  /** The next request, after it was read and the vendor has reacted. */
  readonly nextRequest: Effect.Effect<ReceivedRequest>
  /** Waits until all connections are closed. */
  readonly abandoned: Effect.Effect<void>
}

const isAddress = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === "object" && address !== null

const read = async (request: IncomingMessage): Promise<ReceivedRequest> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return {
    method: request.method ?? "",
    url: request.url ?? "",
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    ),
    body: Buffer.concat(chunks).toString(),
  }
}

const behave = (conduct: Conduct, response: ServerResponse): void => {
  switch (conduct._tag) {
    case "Answer":
      response.writeHead(conduct.status, conduct.headers).end(conduct.body)
      return
    case "Silence":
      return
    case "Reset":
      response.socket?.resetAndDestroy()
      return
    case "Break":
    case "Endless": {
      const { body, headers, status } = conduct
      const half = body.slice(0, Math.ceil(body.length / 2))
      const length = { "content-length": String(Buffer.byteLength(body) + 1) }
      response.writeHead(status, { ...headers, ...length })
      response.write(half, () => {
        if (conduct._tag === "Break") response.socket?.destroy()
      })
    }
  }
}

/** Starts a vendor on loopback. It runs until the scope closes. */
export const startVendor = (
  scheme: "http" | "https" = "http",
): Effect.Effect<Vendor, never, Scope.Scope> =>
  Effect.gen(function* () {
    let conduct: Parameters<Vendor["conduct"]>[0] = { _tag: "Silence" }
    const requests: Array<ReceivedRequest> = []
    const queue = yield* Queue.unbounded<ReceivedRequest>()
    const sockets = new Set<Socket>()
    let onAbandoned = Deferred.makeUnsafe<void>()
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      read(request).then(
        (received) => {
          requests.push(received)
          behave(typeof conduct === "function" ? conduct(received) : conduct, response)
          Queue.offerUnsafe(queue, received)
        },
        () => response.destroy(),
      )
    }
    const server =
      scheme === "http" ? createServer(listener) : createSecureServer(selfSigned(), listener)
    server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        if (sockets.size > 0) return
        Deferred.doneUnsafe(onAbandoned, Effect.void)
        onAbandoned = Deferred.makeUnsafe<void>()
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        }),
    )
    const address = server.address()
    if (!isAddress(address)) return yield* Effect.die(new Error("The vendor listens nowhere"))
    return {
      baseUrl: `${scheme}://127.0.0.1:${address.port}`,
      requests,
      conduct: (next) => {
        conduct = next
      },
      nextRequest: Queue.take(queue),
      abandoned: Effect.suspend(() =>
        sockets.size === 0 ? Effect.void : Deferred.await(onAbandoned),
      ),
    }
  })

/** A URL on loopback without a listener. */
export const nowhere: Effect.Effect<string> = Effect.scoped(
  Effect.map(startVendor(), ({ baseUrl }) => baseUrl),
)
