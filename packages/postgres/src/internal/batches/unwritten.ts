/** The commands that are still to be written although nobody waits for them. Reads wait for those before them. */

interface Count {
  /** Number of commands so far. */
  given: number
  /** Number of those that are written. They are written in their order. */
  written: number
  readonly waiting: Set<() => void>
}

/** Milliseconds that a read waits at most: while another node holds the lock, it sees the older state. */
const maxWait = 1_000

export class Unwritten {
  readonly #counts = new Map<string, Count>()

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

  /** Calls `tell` when the present commands of an organization are written, or after a second. */
  wait(organization: string, tell: () => void): void {
    const count = this.#counts.get(organization)
    if (count === undefined) return tell()
    const { given } = count
    const end = (): void => {
      clearTimeout(timer)
      count.waiting.delete(look)
      tell()
    }
    const look = (): void => {
      if (count.written >= given) end()
    }
    const timer = setTimeout(end, maxWait)
    count.waiting.add(look)
  }
}
