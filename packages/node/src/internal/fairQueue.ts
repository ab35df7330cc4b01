/**
 * Begins requests a few at a time for each key, or for all unknown keys together: whoever sends a crowd has
 * it begun over many turns of the event loop, and between them the others have theirs. Within a turn nobody
 * waits for anybody.
 */
export class FairQueue {
  readonly #perKey: number
  readonly #maxInLine: number
  readonly #later: (turn: () => void) => void
  /** How many were begun in this turn. */
  readonly #begun = new Map<string, number>()
  readonly #lines = new Map<string, Array<() => void>>()
  #isPlanned = false
  #onEmpty: (() => void) | undefined

  /** `later` runs something in the next turn of the event loop. */
  constructor(
    { maxInLine, perKey }: { readonly perKey: number; readonly maxInLine: number },
    later: (turn: () => void) => void,
  ) {
    this.#perKey = perKey
    this.#maxInLine = maxInLine
    this.#later = later
  }

  /** Begins it now or in one of the next turns; `false`, and never, where the key's line is too long. */
  run(key: string, begin: () => void): boolean {
    const begun = this.#begun.get(key) ?? 0
    if (begun >= this.#perKey) return this.#wait(key, begin)
    this.#begun.set(key, begun + 1)
    this.#plan()
    begin()
    return true
  }

  /** Tells when nobody is in line. */
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
