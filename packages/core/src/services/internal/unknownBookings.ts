/** Payment ids that were generated for bookings without an outcome. A repeat of the call gets the same id. */
export class UnknownBookings {
  readonly #bookings: Array<{
    readonly call: string
    readonly paymentId: string
    readonly until: number
  }> = []

  /** The oldest id that is kept for a call. Each id is returned once: two equal calls are two bookings. */
  take(call: string, now: number): string | undefined {
    const index = this.#bookings.findIndex((one) => one.call === call && one.until > now)
    return index === -1 ? undefined : this.#bookings.splice(index, 1)[0]?.paymentId
  }

  keep(call: string, paymentId: string, now: number): void {
    this.#bookings.push({ call, paymentId, until: now + keptMillis })
    if (this.#bookings.length > maxKept) this.#bookings.shift()
  }
}

/** How long a call may be repeated, in milliseconds. */
const keptMillis = 600_000

/** Maximum number of kept ids; the oldest is dropped first. */
export const maxKept = 1_000
