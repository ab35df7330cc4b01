/**
 * The commands that wait for the next commit, by organization. Organizations take turns. A hot organization
 * shares no commit with regular ones, so its load delays its own commands only.
 */
export interface QueuedCommand {
  readonly organization: string
  /**
   * Whether the command ends something that was begun. Such commands go before the others of their
   * organization, within a share of each commit, and do not count in `size`.
   */
  readonly isEnding: boolean
}

interface Queue<A> {
  readonly ending: Array<A>
  readonly beginning: Array<A>
}

export interface BatchBounds {
  /** Maximum number of commands in a commit. */
  readonly max: number
  /** Maximum number of commands of one organization in a commit. */
  readonly maxPerOrganization: number
  /** Number of waiting commands from which an organization is hot. */
  readonly hotSize: number
  /** Maximum number of organizations in a commit. */
  readonly maxOrganizations: number
}

/**
 * `locked`: the organization's lock was held for too long. A commit is for organizations of one kind, and a
 * commit for a locked organization is for that one alone.
 */
export type Kind = "regular" | "hot" | "locked"

/** What one commit takes. */
export interface TakenBatch<out A> {
  readonly entries: ReadonlyArray<A>
  /** `undefined` where there are none. */
  readonly kind: Kind | undefined
}

/** What is left to whom. */
export interface Excluded {
  /** Organizations of which another commit is under way. */
  readonly busy: ReadonlySet<string>
  /** Kinds that others see to. */
  readonly kinds: ReadonlySet<Kind>
}

/** How many organizations are remembered as locked; beyond it the first ones are forgotten. */
const maxLocked = 1_000

const nowhere: Excluded = { busy: new Set(), kinds: new Set() }

export class CommitQueue<A extends QueuedCommand> {
  readonly #queues = new Map<string, Queue<A>>()
  readonly #locked = new Set<string>()
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
    const queue = this.#queueOf(one.organization)
    if (one.isEnding) queue.ending.push(one)
    else {
      queue.beginning.push(one)
      this.#size += 1
    }
  }

  /** Puts back what was taken, before what has come since. Its organizations count as locked. */
  putBack(entries: ReadonlyArray<A>): void {
    for (const one of entries.toReversed()) {
      this.setLocked(one.organization)
      const queue = this.#queueOf(one.organization)
      if (one.isEnding) queue.ending.unshift(one)
      else {
        queue.beginning.unshift(one)
        this.#size += 1
      }
    }
  }

  /** The lock of an organization was held for too long: it shares no commit from now on. */
  setLocked(organization: string): void {
    this.#locked.add(organization)
    const [oldest] = this.#locked
    if (this.#locked.size > maxLocked && oldest !== undefined) this.#locked.delete(oldest)
  }

  /** An organization's lock was given: it may share commits again. */
  setUnlocked(organization: string): void {
    this.#locked.delete(organization)
  }

  /** What a commit for an organization would be for by now. */
  kindOf(organization: string, { hotSize }: Pick<BatchBounds, "hotSize">): Kind {
    if (this.#locked.has(organization)) return "locked"
    const queue = this.#queues.get(organization)
    return queue !== undefined && sizeOf(queue) >= hotSize ? "hot" : "regular"
  }

  #queueOf(organization: string): Queue<A> {
    const known = this.#queues.get(organization)
    if (known !== undefined) return known
    const queue: Queue<A> = { ending: [], beginning: [] }
    this.#queues.set(organization, queue)
    return queue
  }

  /**
   * The next commit's: of the kind of whoever is first in line, in the order of arrival within an
   * organization. What is seen to elsewhere stays where it is.
   */
  take(
    { hotSize, max, maxOrganizations, maxPerOrganization }: BatchBounds,
    { busy, kinds }: Excluded = nowhere,
  ): TakenBatch<A> {
    const entries: Array<A> = []
    // Goes to the end of the line, but not before everybody has been asked.
    const left: Array<[string, Queue<A>]> = []
    // A short commit is what the few get for it: this process has to see to both.
    const besideOthers = this.#queues.size > 1 || kinds.has("regular")
    const most = besideOthers ? Math.min(2 * hotSize, maxPerOrganization) : maxPerOrganization
    let kind: Kind | undefined
    let organizations = 0
    for (const [organization, queue] of this.#queues) {
      if (entries.length === max || organizations === maxOrganizations) break
      if (busy.has(organization)) continue
      const own = this.kindOf(organization, { hotSize })
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
      if (kind === "locked") break
    }
    for (const [organization, queue] of left) this.#queues.set(organization, queue)
    this.#taken += entries.length
    return { entries, kind }
  }
}

/** What is ended may not keep an organization from beginning anything: reports come in any number. */
const roomToBegin = (room: number): number => (room < 2 ? 0 : Math.max(1, Math.floor(room / 4)))

const sizeOf = <A>({ beginning, ending }: Queue<A>): number => beginning.length + ending.length
