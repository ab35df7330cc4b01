/**
 * How fast a gateway may be asked: a rate, and a pause for each recipient.
 */
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"

export interface Rates {
  /** As many as come when left out. */
  readonly perSecond?: number | undefined
  /** None when left out. */
  readonly pairMillis?: number | undefined
}

/** A place in the pace, and the wait until it in milliseconds. */
export interface Slot {
  readonly wait: number
  readonly isTaken: boolean
}

export class Pacer {
  readonly #rates: Rates
  readonly #size: number
  /** When each recipient may be sent to again. The oldest go first. */
  readonly #pairs = new Map<PhoneNumber, number>()
  #next = 0

  /** Remembers so many recipients. */
  constructor(rates: Rates, size: number) {
    this.#rates = rates
    this.#size = size
  }

  /** Takes the next place, unless the wait until it would be more than `most` milliseconds. */
  take(to: PhoneNumber, now: number, most: number): Slot {
    const { pairMillis = 0, perSecond } = this.#rates
    const at = Math.max(now, perSecond === undefined ? 0 : this.#next, this.#pairs.get(to) ?? 0)
    const wait = at - now
    if (wait > Math.max(0, most)) return { wait, isTaken: false }
    if (perSecond !== undefined) this.#next = at + 1_000 / perSecond
    if (pairMillis > 0) this.#remember(to, at + pairMillis)
    return { wait, isTaken: true }
  }

  #remember(to: PhoneNumber, until: number): void {
    this.#pairs.delete(to)
    this.#pairs.set(to, until)
    if (this.#pairs.size <= this.#size) return
    for (const oldest of this.#pairs.keys()) {
      this.#pairs.delete(oldest)
      break
    }
  }
}
