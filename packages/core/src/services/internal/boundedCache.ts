/**
 * A map of bounded size that drops the least recently used entry when it is full.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    // Moving the entry on every hit is not worth its cost while there is room.
    if (value !== undefined && this.#entries.size >= this.#size) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#size) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
