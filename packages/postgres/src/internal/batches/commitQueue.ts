/**
 * The commands that wait for the next commit, by organization. Organizations take turns. A hot organization
 * shares no commit with regular ones, so its load delays its own commands only.
 */
export interface QueuedCommand {
  readonly organization: string
  /**
   * Whether the command completes something that has begun. Such commands precede the others of their
   * organization, within a share of each commit, and do not count in `size`.
   */
  readonly isEnding: boolean
  /** Whether a caller waits for the command. One that is not urgent begins no commit. */
  readonly isUrgent: boolean
}

interface Queue<A> {
  readonly ending: Array<A>
  readonly beginning: Array<A>
}

export interface BatchBounds {
  /** Maximum number of commands in a commit. */
  readonly max: number
  readonly maxPerOrganization: number
  /** Number of waiting commands from which an organization is hot. */
  readonly hotSize: number
  readonly maxOrganizations: number
}

/**
 * `locked`: the organization's lock was held for too long. A commit is for organizations of one kind, and a
 * commit for a locked organization is for that one alone.
 */
export type Kind = "regular" | "hot" | "locked"

export interface TakenBatch<out A> {
  readonly entries: ReadonlyArray<A>
  /** `undefined` if there are no entries. */
  readonly kind: Kind | undefined
}

/** The organizations and kinds that other lanes handle. */
export interface Exclusions {
  readonly busy: ReadonlySet<string>
  readonly kinds: ReadonlySet<Kind>
}

/** Number of organizations that are remembered as locked. The oldest ones are forgotten first. */
const maxLocked = 1_000

export class CommitQueue<A extends QueuedCommand> {
  readonly #queues = new Map<string, Queue<A>>()
  readonly #locked = new Set<string>()
  /** The commands that may wait for the commit of others. Replaced by each commit, as the maps of `Table`. */
  #patient = new Set<A>()
  #all = 0
  /** Number of waiting commands that begin something. */
  size = 0
  /** Number of commands that were taken. */
  taken = 0

  /** Whether there is no command to commit now. */
  get isIdle(): boolean {
    return this.#all === this.#patient.size
  }

  get patient(): number {
    return this.#patient.size
  }

  hurry(): void {
    this.#patient = new Set()
  }

  add(one: A): void {
    this.#place(one, "push")
    if (!one.isUrgent) this.#patient.add(one)
  }

  /**
   * Puts taken commands back, before those that arrived since. Marks their organizations as locked. All of them are
   * urgent now, because they have waited.
   */
  putBack(entries: ReadonlyArray<A>): void {
    for (const one of entries.toReversed()) {
      this.setLocked(one.organization)
      this.#place(one, "unshift")
    }
  }

  /** Marks an organization whose lock was held for too long. It shares no commit from now on. */
  setLocked(organization: string): void {
    this.#locked.add(organization)
    const [oldest] = this.#locked
    if (this.#locked.size > maxLocked && oldest !== undefined) this.#locked.delete(oldest)
  }

  setUnlocked(organization: string): void {
    this.#locked.delete(organization)
  }

  kindOf(organization: string, { hotSize }: Pick<BatchBounds, "hotSize">): Kind {
    if (this.#locked.has(organization)) return "locked"
    const queue = this.#queues.get(organization)
    return queue !== undefined && sizeOf(queue) >= hotSize ? "hot" : "regular"
  }

  #place(one: A, end: "push" | "unshift"): void {
    const queue = this.#queues.get(one.organization) ?? { ending: [], beginning: [] }
    this.#queues.set(one.organization, queue)
    queue[one.isEnding ? "ending" : "beginning"][end](one)
    this.#all += 1
    if (!one.isEnding) this.size += 1
  }

  /** The entries have the kind of the first organization, and each organization's keep their order of arrival. */
  take(
    { hotSize, max, maxOrganizations, maxPerOrganization }: BatchBounds,
    { busy, kinds }: Exclusions,
  ): TakenBatch<A> {
    const entries: Array<A> = []
    if (this.isIdle) return { entries, kind: undefined }
    // These organizations go to the end of the queue after the loop has visited all others.
    const left: Array<[string, Queue<A>]> = []
    // Keeps commits short while other organizations wait, because this process handles all of them.
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
      this.size -= begun.length
      organizations += 1
      this.#queues.delete(organization)
      if (sizeOf(queue) > 0) left.push([organization, queue])
      if (kind === "locked") break
    }
    for (const [organization, queue] of left) this.#queues.set(organization, queue)
    this.#all -= entries.length
    if (this.#patient.size > 0) {
      const taken = new Set(entries)
      this.#patient = new Set([...this.#patient].filter((one) => !taken.has(one)))
    }
    this.taken += entries.length
    return { entries, kind }
  }
}

/** The share kept from commands that complete something, such as reports, which arrive in any number. */
const roomToBegin = (room: number): number => (room < 2 ? 0 : Math.max(1, Math.floor(room / 4)))

const sizeOf = <A>({ beginning, ending }: Queue<A>): number => beginning.length + ending.length
