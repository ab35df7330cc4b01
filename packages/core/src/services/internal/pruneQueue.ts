import type { OrganizationId } from "../../domain/Ids.ts"
import type { Kind } from "../../decide/Pruning.ts"

/** A step to run. */
export interface PruneTask {
  readonly organization: OrganizationId
  readonly kind: Kind
  readonly after: string | undefined
}

interface Scan {
  readonly kinds: ReadonlyArray<Kind>
  /** The last organization that was scanned. */
  readonly after: OrganizationId | undefined
}

/** Number of organizations that one page of a scan contains. */
export const pageSize = 100

/** Maximum number of queued tasks. Further tasks come back with the next scan. */
const maxVisits = 1_000

/** Recipients are scanned rarely, because idle ones are few and every recipient has to be examined. */
const sweepMillis = 24 * 60 * 60 * 1_000

const keyOf = ({ kind, organization }: PruneTask): string => `${organization} ${kind}`

/**
 * The queue of retention tasks. A scan adds all organizations, page by page. A task that its step did not
 * complete goes to the end of the queue, so that an organization with many old rows does not delay the
 * others.
 */
export class PruneQueue {
  readonly #kinds: ReadonlyArray<Kind>
  readonly #intervalMillis: number
  /** Tasks in the order of their turns. */
  readonly #line = new Map<string, PruneTask>()
  #walk: Scan | undefined
  #walkedAt = -Infinity
  #sweptAt = -Infinity

  constructor(kinds: ReadonlyArray<Kind>, intervalMillis: number) {
    this.#kinds = kinds
    this.#intervalMillis = intervalMillis
  }

  get length(): number {
    return this.#line.size
  }

  /** Whether no work is left until the next scan. */
  get isOver(): boolean {
    return this.#walk === undefined && this.length === 0
  }

  /** Whether organizations have to be scanned at `now`. Begins a scan when the interval has passed. */
  isScanning(now: number): boolean {
    if (this.#walk !== undefined) return true
    if (this.#kinds.length === 0 || now < this.#walkedAt + this.#intervalMillis) return false
    const isSweep = now >= this.#sweptAt + sweepMillis
    this.#walkedAt = now
    if (isSweep) this.#sweptAt = now
    this.#walk = {
      kinds: this.#kinds.filter((kind) => kind !== "recipients" || isSweep),
      after: undefined,
    }
    return true
  }

  /** The organization after which the next page begins. */
  get after(): OrganizationId | undefined {
    return this.#walk?.after
  }

  /** Adds the tasks of the page after `after`. */
  addPage(page: ReadonlyArray<OrganizationId>): void {
    if (this.#walk === undefined) return
    for (const organization of page) {
      for (const kind of this.#walk.kinds) {
        const visit = { organization, kind, after: undefined }
        if (!this.#line.has(keyOf(visit))) this.#line.set(keyOf(visit), visit)
      }
    }
    this.#walk = page.length < pageSize ? undefined : { ...this.#walk, after: page.at(-1) }
  }

  /** Takes the first task of the queue. */
  next(): PruneTask | undefined {
    for (const [key, visit] of this.#line) {
      this.#line.delete(key)
      return visit
    }
    return undefined
  }

  /** Puts a task at the end of the queue. */
  requeue(visit: PruneTask): void {
    if (this.length < maxVisits) this.#line.set(keyOf(visit), visit)
  }
}
