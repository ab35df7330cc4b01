/**
 * Requests that come when they come, whether or not the ones before are answered: as many callers do who
 * know nothing of each other. A latency counts from the time at which the request was due, so a server
 * (or this generator) that holds requests up does not look better by that.
 *
 * The number of open requests is bounded. What is due beyond it is not sent, and counted as skipped: a
 * run that leaves out more than a trace says nothing of the load that it was meant to offer.
 */
import { connect, type Socket } from "node:net"

export interface OpenLoopOptions {
  readonly origin: string
  readonly perSecond: number
  readonly durationMillis: number
  /**
   * Most requests that are open at a time: so many connections are made before the first request is due,
   * as a proxy in front of the server keeps them.
   */
  readonly maxOpen: number
  /** The request of a rank, as it goes over the wire; see `post`. */
  readonly request: (rank: number) => string
  /** Looks at every answer, head and body. What it throws ends the load. */
  readonly answer?: ((rank: number, status: number, text: string) => void) | undefined
  /** Same seed, same gaps. */
  readonly seed?: number | undefined
}

export interface Arrival {
  /** Milliseconds from the start at which the request was due. */
  readonly due: number
  /** Milliseconds from then to the answer. */
  readonly millis: number
  readonly status: number
}

export interface OpenLoopResult {
  /** Every request that was sent, in the order of the answers. */
  readonly arrivals: ReadonlyArray<Arrival>
  readonly leftOut: number
  /** Most requests that were open at a time. */
  readonly mostOpen: number
  /** How late requests went out, in milliseconds: the share of the generator in the latencies. */
  readonly lateness: ReadonlyArray<number>
}

/** How long the last answers are waited for. */
const drainMillis = 60_000

/** Numbers between 0 and 1, drawn the same way each time (mulberry32). */
const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** When requests are due: gaps are exponential, as between callers who know nothing of each other. */
export const dueTimes = function* (perSecond: number, durationMillis: number, seed = 1) {
  const draw = random(seed)
  for (let due = 0; ;) {
    due -= (Math.log(1 - draw()) / perSecond) * 1_000
    if (due >= durationMillis) return
    yield due
  }
}

const headEnd = "\r\n\r\n"

/** Whether an answer is all there. Every answer has a Content-Length. */
const isComplete = (text: string): boolean => {
  const end = text.indexOf(headEnd)
  if (end === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? "0"
  return text.length >= end + headEnd.length + Number(length)
}

/** A connection that has one request open, or none. */
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
    // A server may hang up on a connection that nothing was asked on for long.
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

/** Fewer than a listening socket lets wait, which would lose the others. */
const openedAtOnce = 200

const openAll = async (origin: URL, count: number): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  while (lines.length < count) {
    const size = Math.min(openedAtOnce, count - lines.length)
    lines.push(...(await Promise.all(Array.from({ length: size }, () => open(origin)))))
  }
  return lines
}

/** Sends what is due over the lines until nothing is, and waits for all answers. */
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
