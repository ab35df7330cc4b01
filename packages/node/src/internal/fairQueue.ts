/**
 * Begins requests a few at a time for each key, and for all unknown keys together. A client that sends many
 * requests at once has them begun over many turns of the event loop, and other clients' requests begin between
 * them. Requests of different keys do not delay each other within a turn.
 */
export class FairQueue {
  readonly #perKey: number
  readonly #maxInLine: number
  readonly #later: (turn: () => void) => void
  /** Number of requests that began in this turn. */
  readonly #begun = new Map<string, number>()
  readonly #lines = new Map<string, Array<() => void>>()
  #isPlanned = false
  #onEmpty: (() => void) | undefined

  /** `later` runs a function in the next turn of the event loop. */
  constructor(
    { maxInLine, perKey }: { readonly perKey: number; readonly maxInLine: number },
    later: (turn: () => void) => void,
  ) {
    this.#perKey = perKey
    this.#maxInLine = maxInLine
    this.#later = later
  }

  /** Begins a request now or in a later turn. Returns `false` and does not begin it if the key's queue is full. */
  run(key: string, begin: () => void): boolean {
    const begun = this.#begun.get(key) ?? 0
    if (begun >= this.#perKey) return this.#wait(key, begin)
    this.#begun.set(key, begun + 1)
    this.#plan()
    begin()
    return true
  }

  whenEmpty(onEmpty: () => void): void {
    this.#onEmpty = onEmpty
    if (this.#lines.size === 0) onEmpty()
  }

  #wait(key: string, begin: () => void): boolean {
    const line = this.#lines.get(key)
    if (line === undefined) this.#lines.set(key, [begin])
    else if (line.length >= this.#maxInLine) return false
    else line.push(begin)
    return true
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    this.#later(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isPlanned = false
    this.#begun.clear()
    if (this.#lines.size === 0) return
    for (const [key, line] of this.#lines) {
      const next = line.splice(0, this.#perKey)
      if (line.length === 0) this.#lines.delete(key)
      this.#begun.set(key, next.length)
      for (const begin of next) begin()
    }
    this.#plan()
    if (this.#lines.size === 0) this.#onEmpty?.()
  }
}
