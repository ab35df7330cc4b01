/**
 * What waits for the next commit, by organization. Organizations take turns, so one that sends a flood
 * makes its own requests wait, and not those of the others.
 */
export interface Waits {
  readonly organization: string
  /** Ends what was begun: goes before what is still to begin, and is not counted in `size`. */
  readonly isEnding: boolean
}

interface Queue<A> {
  readonly ending: Array<A>
  readonly beginning: Array<A>
}

export interface Share {
  /** Most that one commit takes. */
  readonly max: number
  /** Most of them that belong to one organization. */
  readonly maxPerOrganization: number
  /** The same while others wait: a short commit is what they get for it. */
  readonly maxBesideOthers: number
  /** Most organizations that they may belong to. */
  readonly maxOrganizations: number
}

/** Nobody. */
const none: ReadonlySet<string> = new Set()

export class Waiting<A extends Waits> {
  readonly #queues = new Map<string, Queue<A>>()
  #size = 0
  #taken = 0

  /** How many wait that are still to begin. */
  get size(): number {
    return this.#size
  }

  /** How many have been taken so far. */
  get taken(): number {
    return this.#taken
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0
  }

  add(one: A): void {
    let queue = this.#queues.get(one.organization)
    if (queue === undefined) {
      queue = { ending: [], beginning: [] }
      this.#queues.set(one.organization, queue)
    }
    if (one.isEnding) queue.ending.push(one)
    else {
      queue.beginning.push(one)
      this.#size += 1
    }
  }

  /**
   * The next commit's: in the order of arrival within an organization. Those of `busy` organizations
   * stay where they are.
   */
  take(
    { max, maxBesideOthers, maxOrganizations, maxPerOrganization }: Share,
    busy: ReadonlySet<string> = none,
  ): ReadonlyArray<A> {
    const taken: Array<A> = []
    // Goes to the end of the line, but not before everybody has been asked.
    const left: Array<[string, Queue<A>]> = []
    const own =
      this.#queues.size > 1 ? Math.min(maxBesideOthers, maxPerOrganization) : maxPerOrganization
    let organizations = 0
    for (const [organization, queue] of this.#queues) {
      if (taken.length === max || organizations === maxOrganizations) break
      if (busy.has(organization)) continue
      const { beginning, ending } = queue
      const room = Math.min(own, max - taken.length)
      const ended = ending.splice(0, room)
      const begun = beginning.splice(0, room - ended.length)
      taken.push(...ended, ...begun)
      this.#size -= begun.length
      organizations += 1
      this.#queues.delete(organization)
      if (ending.length + beginning.length > 0) left.push([organization, queue])
    }
    for (const [organization, queue] of left) this.#queues.set(organization, queue)
    this.#taken += taken.length
    return taken
  }
}
