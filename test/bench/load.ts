/**
 * Sends requests over keep-alive connections on loopback. Each connection waits for a response before its next
 * request. Uses bare sockets, so that the load takes little time of the cores that it shares with the server.
 */
import { connect, type Socket } from "node:net"
import { percentile } from "./stats.ts"

export interface LoadOptions {
  readonly origin: string
  readonly connections: number
  /** Number of requests. Required without a time limit. */
  readonly requests?: number | undefined
  /** The load starts no request after this time, and waits for the open ones. */
  readonly durationMillis?: number | undefined
  /** Returns the bytes of the request with this rank; see `post` and `get`. */
  readonly request: (rank: number) => string
  /** Receives the status and the body of every response. An exception ends the load. */
  readonly answer?: ((rank: number, status: number, body: string) => void) | undefined
  /** The statuses that count for the figures. @defaultValue all */
  readonly counts?: ((status: number) => boolean) | undefined
}

export interface LoadResult {
  /** Responses per second, of those that count. */
  readonly perSecond: number
  /** Milliseconds of the responses that count. */
  readonly p50: number
  readonly p99: number
  readonly answered: number
  readonly seconds: number
  /** Number of responses by status, including those that do not count. */
  readonly statuses: ReadonlyMap<number, number>
}

export const post = (path: string, key: string, body: unknown): string => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

export const get = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`

const open = (origin: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(origin.port), origin.hostname, () => {
      socket.off("error", reject)
      resolve(socket)
    })
    socket.setNoDelay(true)
    socket.once("error", reject)
  })

const headEnd = "\r\n\r\n"
const lengthHeader = /\r\ncontent-length: *(\d+)/i
const chunkedHeader = /\r\ntransfer-encoding: *chunked/i

/** Returns the body of a complete response; `undefined` while a part is missing. */
const bodyOf = (text: string): string | undefined => {
  const end = text.indexOf(headEnd)
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const body = text.slice(end + headEnd.length)
  const length = lengthHeader.exec(head)?.[1]
  if (length !== undefined) return body.length < Number(length) ? undefined : body
  if (!chunkedHeader.test(head)) return body
  // The undecoded chunks, which suffice for a search in the text.
  return body === "0\r\n\r\n" || body.endsWith("\r\n0\r\n\r\n") ? body : undefined
}

/** Sends one request after the other on a socket until `next` returns no more. */
const drive = (
  socket: Socket,
  next: () => string | undefined,
  onAnswer: (status: number, body: string) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = ""
    let ended = false
    const end = (settle: () => void): void => {
      ended = true
      socket.destroy()
      settle()
    }
    const go = (): void => {
      const request = next()
      if (request === undefined) end(resolve)
      else socket.write(request)
    }
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      const body = bodyOf(text)
      if (body === undefined) return
      const status = Number(text.slice(9, 12))
      text = ""
      try {
        onAnswer(status, body)
        go()
      } catch (error) {
        end(() => reject(error))
      }
    })
    socket.once("error", reject)
    socket.once("close", () => {
      if (!ended) reject(new Error("The server closed a connection"))
    })
    go()
  })

export const load = async (options: LoadOptions): Promise<LoadResult> => {
  const { answer, counts = () => true, requests = Number.POSITIVE_INFINITY } = options
  const durationMillis = options.durationMillis ?? Number.POSITIVE_INFINITY
  if (requests + durationMillis === Number.POSITIVE_INFINITY && requests === durationMillis) {
    throw new Error("A load has to end: give it requests or durationMillis")
  }
  const origin = new URL(options.origin)
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(origin)))
  const times: Array<number> = []
  const statuses = new Map<number, number>()
  const started = performance.now()
  let issued = 0
  let failed = false
  const one = async (socket: Socket): Promise<void> => {
    let rank = 0
    let from = 0
    try {
      await drive(
        socket,
        () => {
          from = performance.now()
          if (failed || issued >= requests || from - started >= durationMillis) return undefined
          rank = issued++
          return options.request(rank)
        },
        (status, body) => {
          if (counts(status)) times.push(performance.now() - from)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          answer?.(rank, status, body)
        },
      )
    } catch (error) {
      // The others stop at their next request.
      failed = true
      throw error
    }
  }
  const ends = await Promise.allSettled(sockets.map(one))
  const seconds = (performance.now() - started) / 1_000
  for (const end of ends) if (end.status === "rejected") throw end.reason
  return {
    perSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    answered: [...statuses.values()].reduce((sum, count) => sum + count, 0),
    seconds,
    statuses,
  }
}
