/**
 * The ids of bookings without a payment id that ended without an outcome. The same call made again gets the
 * id of the one before, so it cannot be booked twice.
 */
export class UnknownBookings {
  readonly #bookings: Array<{
    readonly call: string
    readonly paymentId: string
    readonly until: number
  }> = []

  /** The oldest id that is kept for a call. It is given once: two equal calls are two bookings. */
  take(call: string, now: number): string | undefined {
    const index = this.#bookings.findIndex((one) => one.call === call && one.until > now)
    return index === -1 ? undefined : this.#bookings.splice(index, 1)[0]?.paymentId
  }

  keep(call: string, paymentId: string, now: number): void {
    this.#bookings.push({ call, paymentId, until: now + keptMillis })
    if (this.#bookings.length > maxKept) this.#bookings.shift()
  }
}

/** How long a call may be repeated. */
export const keptMillis = 600_000

/** Beyond it the oldest is forgotten. */
export const maxKept = 1_000
