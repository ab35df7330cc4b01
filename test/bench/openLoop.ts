/**
 * Sends requests at random times, whether or not earlier ones are answered, as many independent callers do.
 * A latency counts from the time at which the request was due, so a server (or this generator) that delays
 * requests does not look better.
 *
 * The number of open requests is bounded. Requests beyond it are not sent, and count as skipped. A run that
 * skips more than a few requests is no measurement of the intended load.
 */
import { connect, type Socket } from "node:net"

export interface OpenLoopOptions {
  readonly origin: string
  readonly perSecond: number
  readonly durationMillis: number
  /**
   * Maximum number of open requests. This many connections are opened before the first request, as a proxy
   * in front of the server keeps them.
   */
  readonly maxOpen: number
  /** Returns the bytes of the request with this rank; see `post`. */
  readonly request: (rank: number) => string
  /** Receives every response, head and body. An exception ends the load. */
  readonly answer?: ((rank: number, status: number, text: string) => void) | undefined
  /** The seed of the gaps between requests. */
  readonly seed?: number | undefined
}

export interface Arrival {
  /** Milliseconds from the start at which the request was due. */
  readonly due: number
  /** Milliseconds from that time to the response. */
  readonly millis: number
  readonly status: number
}

export interface OpenLoopResult {
  /** Every sent request, in the order of the responses. */
  readonly arrivals: ReadonlyArray<Arrival>
  readonly leftOut: number
  /** The highest number of open requests. */
  readonly mostOpen: number
  /** The delays of the generator in milliseconds, which are part of the latencies. */
  readonly lateness: ReadonlyArray<number>
}

/** Time limit for the last responses. */
const drainMillis = 60_000

/** Reproducible random numbers between 0 and 1 (mulberry32). */
const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The times of the requests. The gaps are exponential, as between independent callers. */
export const dueTimes = function* (perSecond: number, durationMillis: number, seed = 1) {
  const draw = random(seed)
  for (let due = 0; ;) {
    due -= (Math.log(1 - draw()) / perSecond) * 1_000
    if (due >= durationMillis) return
    yield due
  }
}

const headEnd = "\r\n\r\n"

/** Whether a response is complete. Every response has a Content-Length. */
const isComplete = (text: string): boolean => {
  const end = text.indexOf(headEnd)
  if (end === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? "0"
  return text.length >= end + headEnd.length + Number(length)
}

/** A connection with at most one open request. */
class Line {
  rank = 0
  due = 0
  onAnswer: (status: number, text: string) => void = () => {}
  onBroken: (error: Error) => void = () => {}
  #isBusy = false
  #text = ""
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on("data", (chunk) => {
      this.#text += chunk.toString("latin1")
      if (!isComplete(this.#text)) return
      const text = this.#text
      this.#text = ""
      this.#isBusy = false
      this.onAnswer(Number(text.slice(9, 12)), text)
    })
    socket.on("error", (error) => this.onBroken(error))
    // A server may close a connection that was idle for long.
    socket.on("close", () => {
      if (this.#isBusy) this.onBroken(new Error("The server closed a connection"))
    })
  }

  send(rank: number, due: number, request: string): void {
    this.rank = rank
    this.due = due
    this.#isBusy = true
    this.#socket.write(request)
  }

  end(): void {
    this.#isBusy = false
    this.#socket.destroy()
  }
}

const open = (origin: URL): Promise<Line> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(origin.port), origin.hostname, () => {
      socket.off("error", reject)
      resolve(new Line(socket))
    })
    socket.setNoDelay(true).once("error", reject)
  })

/** Below the backlog of a listening socket, which drops further connections. */
const openedAtOnce = 200

const openAll = async (origin: URL, count: number): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  while (lines.length < count) {
    const size = Math.min(openedAtOnce, count - lines.length)
    lines.push(...(await Promise.all(Array.from({ length: size }, () => open(origin)))))
  }
  return lines
}

/** Sends all requests when they are due, and waits for all responses. */
const run = (options: OpenLoopOptions, lines: ReadonlyArray<Line>): Promise<OpenLoopResult> =>
  new Promise((resolve, reject) => {
    const arrivals: Array<Arrival> = []
    const lateness: Array<number> = []
    const idle = [...lines]
    const due = dueTimes(options.perSecond, options.durationMillis, options.seed)
    const started = performance.now()
    let next = due.next()
    let rank = 0
    let leftOut = 0
    let mostOpen = 0
    let timer: NodeJS.Timeout | undefined

    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error)
    }
    const endIfDone = (): void => {
      if (next.done !== true || idle.length < lines.length) return
      clearTimeout(timer)
      resolve({ arrivals, leftOut, mostOpen, lateness })
    }
    for (const line of lines) {
      line.onBroken = fail
      line.onAnswer = (status, text) => {
        const millis = performance.now() - started - line.due
        arrivals.push({ due: line.due, millis, status })
        idle.push(line)
        try {
          options.answer?.(line.rank, status, text)
          endIfDone()
        } catch (error) {
          fail(error)
        }
      }
    }
    const sendDue = (): void => {
      const now = performance.now() - started
      for (; next.done !== true && next.value <= now; next = due.next()) {
        const line = idle.pop()
        if (line === undefined) {
          leftOut += 1
          continue
        }
        lateness.push(now - next.value)
        line.send(rank, next.value, options.request(rank))
        rank += 1
        mostOpen = Math.max(mostOpen, lines.length - idle.length)
      }
      if (next.done === true) {
        timer = setTimeout(() => fail(new Error("Some requests were not answered")), drainMillis)
        return endIfDone()
      }
      timer = setTimeout(sendDue, Math.max(1, next.value - now))
    }
    sendDue()
  })

export const openLoop = async (options: OpenLoopOptions): Promise<OpenLoopResult> => {
  const lines = await openAll(new URL(options.origin), options.maxOpen)
  try {
    return await run(options, lines)
  } finally {
    for (const line of lines) line.end()
  }
}
