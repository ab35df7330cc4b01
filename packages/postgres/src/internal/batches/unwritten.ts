/** The commands that are not written yet although no caller waits for them. Reads wait for those before them. */
import * as Context from "effect/Context"

/** Calls `run` after a time in milliseconds, unless the returned function is called before. */
export type Delay = (millis: number, run: () => void) => () => void

/** The host's timer. An engine whose clock stands still, as in tests, writes all the same. */
export const Delay = Context.Reference<Delay>("@countersign/postgres/internal/Delay", {
  defaultValue: () => (millis, run) => {
    const timer = setTimeout(run, millis)
    return () => clearTimeout(timer)
  },
})

interface Count {
  /** Number of commands so far. */
  given: number
  /** Number of those that are written or have failed. They are written in their order. */
  written: number
  readonly waiting: Set<() => void>
}

/** Milliseconds that a read waits at most: while another node holds the lock, it sees the older state. */
const maxWait = 1_000

export class Unwritten {
  readonly #counts = new Map<string, Count>()
  readonly #delay: Delay

  constructor(delay: Delay) {
    this.#delay = delay
  }

  get organizations(): ReadonlyArray<string> {
    return [...this.#counts.keys()]
  }

  add(organization: string): void {
    const count = this.#counts.get(organization) ?? { given: 0, written: 0, waiting: new Set() }
    this.#counts.set(organization, count)
    count.given += 1
  }

  remove(organization: string): void {
    const count = this.#counts.get(organization)
    if (count === undefined) return
    count.written += 1
    if (count.written === count.given) this.#counts.delete(organization)
    for (const look of count.waiting) look()
  }

  has(organization: string): boolean {
    return this.#counts.has(organization)
  }

  /**
   * Calls `tell` when the present commands of an organization are written, or after a second. Returns a function
   * that ends the wait.
   */
  wait(organization: string, tell: () => void): () => void {
    const count = this.#counts.get(organization)
    if (count === undefined) {
      tell()
      return () => {}
    }
    const { given } = count
    const end = (): void => {
      cancel()
      count.waiting.delete(look)
    }
    const endAndTell = (): void => {
      end()
      tell()
    }
    const look = (): void => {
      if (count.written >= given) endAndTell()
    }
    const cancel = this.#delay(maxWait, endAndTell)
    count.waiting.add(look)
    return end
  }
}
