/**
 * What waits for the next commit, by organization. Organizations take turns, and one that sends a flood
 * shares no commit with those that do not: it makes its own requests wait, and not those of the others.
 */
export interface Waits {
  readonly organization: string
  /** Ends what was begun: goes before what is still to begin, within a share, and is not counted in `size`. */
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
  /** So many of one organization are a crowd. */
  readonly crowd: number
  /** Most organizations that they may belong to. */
  readonly maxOrganizations: number
}

/** Whether an organization has few that wait, or a crowd. A commit is for one kind or for the other. */
export type Kind = "few" | "crowd"

/** What one commit takes. */
export interface Taken<out A> {
  readonly entries: ReadonlyArray<A>
  /** `undefined` where there are none. */
  readonly kind: Kind | undefined
}

/** What is left to whom. */
export interface Elsewhere {
  /** Organizations of which another commit is under way. */
  readonly busy: ReadonlySet<string>
  /** Kinds that others see to. */
  readonly kinds: ReadonlySet<Kind>
}

const nowhere: Elsewhere = { busy: new Set(), kinds: new Set() }

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

  /** Whether an organization has a crowd by now. */
  kindOf(organization: string, { crowd }: Pick<Share, "crowd">): Kind {
    const queue = this.#queues.get(organization)
    return queue !== undefined && sizeOf(queue) >= crowd ? "crowd" : "few"
  }

  /**
   * The next commit's: of the kind of whoever is first in line, in the order of arrival within an
   * organization. What is seen to elsewhere stays where it is.
   */
  take(
    { crowd, max, maxOrganizations, maxPerOrganization }: Share,
    { busy, kinds }: Elsewhere = nowhere,
  ): Taken<A> {
    const entries: Array<A> = []
    // Goes to the end of the line, but not before everybody has been asked.
    const left: Array<[string, Queue<A>]> = []
    // A short commit is what the few get for it: this process has to see to both.
    const besideOthers = this.#queues.size > 1 || kinds.has("few")
    const most = besideOthers ? Math.min(2 * crowd, maxPerOrganization) : maxPerOrganization
    let kind: Kind | undefined
    let organizations = 0
    for (const [organization, queue] of this.#queues) {
      if (entries.length === max || organizations === maxOrganizations) break
      if (busy.has(organization)) continue
      const own: Kind = sizeOf(queue) >= crowd ? "crowd" : "few"
      if (kinds.has(own)) continue
      kind ??= own
      if (own !== kind) continue
      const { beginning, ending } = queue
      const room = Math.min(most, max - entries.length)
      const kept = Math.min(beginning.length, roomToBegin(room))
      const ended = ending.splice(0, room - kept)
      const begun = beginning.splice(0, room - ended.length)
      entries.push(...ended, ...begun)
      this.#size -= begun.length
      organizations += 1
      this.#queues.delete(organization)
      if (sizeOf(queue) > 0) left.push([organization, queue])
    }
    for (const [organization, queue] of left) this.#queues.set(organization, queue)
    this.#taken += entries.length
    return { entries, kind }
  }
}

/** What is ended may not keep an organization from beginning anything: reports come in any number. */
const roomToBegin = (room: number): number => (room < 2 ? 0 : Math.max(1, Math.floor(room / 4)))

const sizeOf = <A>({ beginning, ending }: Queue<A>): number => beginning.length + ending.length
