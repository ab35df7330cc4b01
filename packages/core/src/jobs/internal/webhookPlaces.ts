/**
 * The places in which a node delivers to webhooks. Organizations take them in turn, so that one with many slow
 * receivers does not delay another.
 */
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { WebhookRef } from "../../ports/Store.ts"

export interface Places {
  /** Number of webhooks that are delivered to at once. */
  readonly total: number
  /** How many of them an organization may have. */
  readonly perOrganization: number
}

const keyOf = ({ id, organization }: WebhookRef): string => `${organization} ${id}`

export class WebhookPlaces {
  readonly #perOrganization: number
  /** The webhooks that wait, by organization. The organization that comes next is the first. */
  readonly #waiting = new Map<OrganizationId, ReadonlyArray<WebhookRef>>()
  readonly #taken = new Map<OrganizationId, number>()
  /** The webhooks that wait, and those in a place. */
  readonly #known = new Set<string>()
  #free: number

  constructor({ perOrganization, total }: Places) {
    this.#perOrganization = perOrganization
    this.#free = total
  }

  /** Number of webhooks that wait or have a place. */
  get size(): number {
    return this.#known.size
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Lets webhooks wait for a place, unless they do, or have one. */
  offer(refs: ReadonlyArray<WebhookRef>): void {
    for (const ref of refs) {
      const key = keyOf(ref)
      if (this.#known.has(key)) continue
      this.#known.add(key)
      this.#waiting.set(ref.organization, [...(this.#waiting.get(ref.organization) ?? []), ref])
    }
  }

  /** Gives a free place to the next webhook. `undefined`: there is no place, or no webhook may have it. */
  next(): WebhookRef | undefined {
    for (const [organization, [ref, ...rest]] of this.#waiting) {
      if (!this.#hasPlaceFor(organization)) continue
      this.#waiting.delete(organization)
      if (ref === undefined) continue
      if (rest.length > 0) this.#waiting.set(organization, rest)
      this.#take(organization)
      return ref
    }
    return undefined
  }

  /** Gives a free place to a webhook that has not waited for it. Returns whether there was one. */
  enter(ref: WebhookRef): boolean {
    if (this.#known.has(keyOf(ref)) || !this.#hasPlaceFor(ref.organization)) return false
    this.#known.add(keyOf(ref))
    this.#take(ref.organization)
    return true
  }

  /** Frees the place of a webhook. */
  leave(ref: WebhookRef): void {
    this.#known.delete(keyOf(ref))
    this.#free += 1
    const taken = this.#takenBy(ref.organization) - 1
    if (taken === 0) this.#taken.delete(ref.organization)
    else this.#taken.set(ref.organization, taken)
  }

  #takenBy(organization: OrganizationId): number {
    return this.#taken.get(organization) ?? 0
  }

  #hasPlaceFor(organization: OrganizationId): boolean {
    return this.#free > 0 && this.#takenBy(organization) < this.#perOrganization
  }

  #take(organization: OrganizationId): void {
    this.#free -= 1
    this.#taken.set(organization, this.#takenBy(organization) + 1)
  }
}
