/**
 * What waits for the next commit, by organization. Organizations take turns, so one that sends a flood
 * makes its own requests wait, and not those of the others.
 */
export interface Waits {
  readonly organization: string
}

export interface Share {
  /** Most that one commit takes. */
  readonly max: number
  /** Most of them that belong to one organization. */
  readonly maxPerOrganization: number
  /** Most organizations that they may belong to. */
  readonly maxOrganizations: number
}

export class Waiting<A extends Waits> {
  readonly #queues = new Map<string, Array<A>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(one: A): void {
    const queue = this.#queues.get(one.organization)
    if (queue === undefined) this.#queues.set(one.organization, [one])
    else queue.push(one)
    this.#size += 1
  }

  /** The next commit's: in the order of arrival within an organization. */
  take({ max, maxOrganizations, maxPerOrganization }: Share): ReadonlyArray<A> {
    const taken: Array<A> = []
    // Goes to the end of the line, but not before everybody has been asked.
    const left: Array<[string, Array<A>]> = []
    let organizations = 0
    for (const [organization, queue] of this.#queues) {
      if (taken.length === max || organizations === maxOrganizations) break
      taken.push(...queue.splice(0, Math.min(maxPerOrganization, max - taken.length)))
      organizations += 1
      this.#queues.delete(organization)
      if (queue.length > 0) left.push([organization, queue])
    }
    for (const [organization, queue] of left) this.#queues.set(organization, queue)
    this.#size -= taken.length
    return taken
  }
}
