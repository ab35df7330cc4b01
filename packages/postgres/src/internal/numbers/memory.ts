/** Remembers the last 5,000 to 10,000 texts. Drops many at once, which costs less than dropping the oldest each time. */
export class Memory {
  #newer = new Map<string, string>()
  #older = new Map<string, string>()

  get(name: string): string | undefined {
    return this.#newer.get(name) ?? this.#older.get(name)
  }

  set(name: string, value: string): void {
    if (this.#newer.size >= 5_000) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(name, value)
  }
}
