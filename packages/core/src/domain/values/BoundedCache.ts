/** Maps of bounded size. */

/** Adds an entry as the newest, and drops the oldest if there are more than `size`. Returns whether it did. */
export const setNewest = <K, V>(map: Map<K, V>, key: K, value: V, size: number): boolean => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= size) return false
  for (const oldest of map.keys()) {
    map.delete(oldest)
    break
  }
  return true
}

/** Drops the least recently used entry when it is full. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    // Moving the entry on every hit is not worth its cost while there is room.
    if (value !== undefined && this.#entries.size >= this.#size) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    setNewest(this.#entries, key, value, this.#size)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
