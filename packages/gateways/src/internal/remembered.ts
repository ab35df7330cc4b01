/**
 * A set that keeps the newest `max` names.
 */
export class Remembered {
  readonly #names = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size <= this.#max) return
    for (const oldest of this.#names) {
      this.#names.delete(oldest)
      return
    }
  }
}
