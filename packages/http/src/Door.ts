/**
 * How many requests are under way, in all and for each key. Whoever comes when there are too many is
 * sent away at the door, before anything is read or looked up: that has to cost next to nothing, or
 * sending away would be what the time goes into.
 *
 * Keys are told apart by their text; whether they are good is asked later.
 */
export interface Bounds {
  /** How many may be under way. */
  readonly max: number
  /** How many of them with one key. */
  readonly maxPerKey: number
}

/** What those are told who are sent away: the same bytes every time. */
export const refusal = {
  status: 503,
  headers: {
    "cache-control": "no-store",
    "content-type": "application/json",
    "retry-after": "1",
  },
  body: JSON.stringify({ error: "Temporarily unavailable", retry_after: 1 }),
} as const

export class Door {
  readonly #bounds: Bounds
  readonly #underWay = new Map<string, number>()
  readonly #waiting: Array<() => void> = []
  #total = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** How many are inside. */
  get size(): number {
    return this.#total
  }

  /** Whether one more with this key would be sent away. */
  isFull(key: string): boolean {
    const own = this.#underWay.get(key) ?? 0
    return this.#total >= this.#bounds.max || own >= this.#bounds.maxPerKey
  }

  /** Lets a request in, if there is room; it has to `leave` then. */
  enter(key: string): boolean {
    if (this.isFull(key)) return false
    this.#total += 1
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1)
    return true
  }

  leave(key: string): void {
    this.#total -= 1
    const own = this.#underWay.get(key) ?? 0
    if (own > 1) this.#underWay.set(key, own - 1)
    else this.#underWay.delete(key)
    if (this.#total === 0) for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Tells when nobody is inside, now or for the first time from now on. */
  whenEmpty(tell: () => void): void {
    if (this.#total === 0) tell()
    else this.#waiting.push(tell)
  }
}
