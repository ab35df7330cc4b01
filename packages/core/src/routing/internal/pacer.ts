/** The rates of a gateway: messages per second, and a pause per recipient. */
import { setNewest } from "../../domain/values/BoundedCache.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"

export interface Rates {
  /** `undefined`: no maximum. */
  readonly perSecond?: number | undefined
  /** Milliseconds between two messages to one recipient. @defaultValue 0 */
  readonly pairMillis?: number | undefined
}

/** A slot, and the wait until it in milliseconds. */
export interface Slot {
  readonly wait: number
  readonly isTaken: boolean
}

export class Pacer {
  readonly #rates: Rates
  readonly #size: number
  /** When each recipient may receive the next message. The oldest entries are dropped first. */
  readonly #pairs = new Map<PhoneNumber, number>()
  #next = 0

  /** `size` is the maximum number of remembered recipients. */
  constructor(rates: Rates, size: number) {
    this.#rates = rates
    this.#size = size
  }

  /** Whether a message may have to wait. */
  get isPaced(): boolean {
    const { pairMillis = 0, perSecond } = this.#rates
    return perSecond !== undefined || pairMillis > 0
  }

  /** Takes the next slot, unless the wait until it would be more than `most` milliseconds. */
  take(to: PhoneNumber, now: number, most: number): Slot {
    const { pairMillis = 0, perSecond } = this.#rates
    const at = Math.max(now, perSecond === undefined ? 0 : this.#next, this.#pairs.get(to) ?? 0)
    const wait = at - now
    if (wait > Math.max(0, most)) return { wait, isTaken: false }
    if (perSecond !== undefined) this.#next = at + 1_000 / perSecond
    if (pairMillis > 0) setNewest(this.#pairs, to, at + pairMillis, this.#size)
    return { wait, isTaken: true }
  }
}
