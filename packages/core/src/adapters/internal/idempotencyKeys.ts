import type { IdempotencyKey } from "../../domain/values/IdempotencyKey.ts"

/** The idempotency keys of an organization. */
export class IdempotencyKeys {
  /** Oldest first. */
  readonly #keys = new Map<string, IdempotencyKey>()

  get = (id: string): IdempotencyKey | undefined => this.#keys.get(id)

  all = (): Iterable<IdempotencyKey> => this.#keys.values()

  /** Adds or replaces a key, and drops those that have expired at `now`. */
  save(key: IdempotencyKey, now: number): void {
    for (const { expiresAt, id } of this.#keys.values()) {
      if (expiresAt > now) break
      this.#keys.delete(id)
    }
    this.#keys.set(key.id, key)
  }
}
