/** Counts the messages that a gateway has accepted because others were paused. */
export class Moved {
  /** By the paused gateway, and then by the one that has accepted. */
  readonly #counts = new Map<string, Map<string, number>>()

  note(paused: ReadonlySet<string>, to: string): void {
    for (const gateway of paused) {
      const counts = this.#counts.get(gateway) ?? new Map<string, number>()
      counts.set(to, (counts.get(to) ?? 0) + 1)
      this.#counts.set(gateway, counts)
    }
  }

  from(gateway: string): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts.get(gateway) ?? [])
  }
}
