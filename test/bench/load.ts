/**
 * Requests over keep-alive connections on loopback, each waiting for its answer before the next. Bare
 * sockets, so that the load costs as little as possible of the two cores that it shares with the server.
 */
import { connect, type Socket } from "node:net"

export interface LoadOptions {
  readonly origin: string
  readonly connections: number
  readonly requests: number
  /** The request of a rank, as it goes over the wire; see `post`. */
  readonly request: (rank: number) => string
  /** Looks at every answer's status and body. */
  readonly answer?: (rank: number, status: number, body: string) => void
}

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export const post = (path: string, key: string, body: unknown): string => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

const headEnd = "\r\n\r\n"

const open = (origin: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(origin.port), origin.hostname, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once("error", reject)
  })

/** One request, one answer. Every answer has a Content-Length. */
const exchange = (socket: Socket, request: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    let text = ""
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("latin1")
      const end = text.indexOf(headEnd)
      if (end === -1) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < end + headEnd.length + length) return
      socket.off("data", onData)
      socket.off("close", onClose)
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(end + headEnd.length) })
    }
    const onClose = (): void => reject(new Error("The server closed a connection"))
    socket.on("data", onData)
    socket.once("close", onClose)
    socket.write(request)
  })

export const load = async (options: LoadOptions): Promise<LoadResult> => {
  const origin = new URL(options.origin)
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(origin)))
  const times: Array<number> = []
  let next = 0
  const started = performance.now()
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < options.requests) {
        const rank = next++
        const from = performance.now()
        const { body, status } = await exchange(socket, options.request(rank))
        times.push(performance.now() - from)
        options.answer?.(rank, status, body)
      }
      socket.destroy()
    }),
  )
  const seconds = (performance.now() - started) / 1_000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return { perSecond: options.requests / seconds, p50: at(0.5), p99: at(0.99) }
}
