/**
 * Runs in the process of a service: reports that it is ready, answers queries, and ends with the bench.
 */
import type { Server } from "node:http"
import { getHeapSpaceStatistics } from "node:v8"
import type { ServiceOptions } from "./Service.ts"

/** The phone numbers and codes of sent messages, for checks with correct codes. Drops the oldest first. */
export class SentCodes {
  static readonly most = 200_000
  #pairs: Array<readonly [to: string, code: string]> = []
  #older: Array<readonly [to: string, code: string]> = []

  remember(to: string, code: string): void {
    // Two halves, so that dropping old pairs costs nothing per pair.
    if (this.#pairs.length === SentCodes.most / 2) {
      this.#older = this.#pairs
      this.#pairs = []
    }
    this.#pairs.push([to, code])
  }

  take(): ReadonlyArray<readonly [to: string, code: string]> {
    const all = [...this.#older, ...this.#pairs]
    this.#older = []
    this.#pairs = []
    return all
  }
}

/** The options that the bench passes to this process. */
export const options = (): ServiceOptions => JSON.parse(process.env["BENCH_SERVICE"] ?? "{}")

export interface Ready {
  readonly origin: string
  readonly keys: ReadonlyArray<string>
  /** The answer to each query. `rss` is always available. */
  readonly answers?: Readonly<Record<string, () => unknown>> | undefined
}

const rss = (): number => {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

/** The bytes of old objects, before a garbage collection and after it. */
const oldObjects = (): { readonly before: number; readonly after: number } => {
  const bytes = (): number =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")
      ?.space_used_size ?? 0
  const before = bytes()
  globalThis.gc?.()
  return { before, after: bytes() }
}

/** Reports to the bench that the service accepts requests. */
export const ready = ({ answers, keys, origin }: Ready): void => {
  const known: Readonly<Record<string, () => unknown>> = { rss, oldObjects, ...answers }
  const send = (reply: object): void => void process.send?.(JSON.stringify(reply))
  process.on("message", (question) => {
    Promise.resolve()
      .then(() => {
        const answer = known[String(question)]
        if (answer === undefined) throw new Error(`"${String(question)}" is no question`)
        return answer()
      })
      .then(
        (answer) => send({ answer }),
        (error: unknown) => send({ error: String(error) }),
      )
  })
  send({ answer: { origin, keys } })
}

/** Listens on any free port, and reports to the bench. */
export const listen = (server: Server, state: Omit<Ready, "origin">): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("No port is listened on")
    ready({ origin: `http://127.0.0.1:${address.port}`, ...state })
  })
}

// Ends the process with the bench. A process writes its profile only if it exits by itself.
process.once("SIGTERM", () => process.exit(0))
process.once("disconnect", () => process.exit(0))
