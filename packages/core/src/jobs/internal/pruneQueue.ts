import type { OrganizationId } from "../../domain/values/Ids.ts"
import type * as Pruning from "../../decide/maintenance/Pruning.ts"

type Kind = Exclude<Pruning.Kind, "codes">

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
const maxTasks = 1_000

/**
 * The kinds of rows that are scanned rarely. Recipients: every recipient has to be examined, and few are idle.
 * Refusals: every host drops them, and most organizations have none.
 */
const sweptKinds: ReadonlySet<Kind> = new Set<Kind>(["recipients", "refusals"])
const sweepMillis = 24 * 60 * 60 * 1_000

const keyOf = ({ kind, organization }: PruneTask): string => `${organization} ${kind}`

/**
 * The queue of retention tasks. A scan adds all organizations, page by page. An unfinished task goes to the
 * end, so that an organization with many old rows does not delay the others.
 */
export class PruneQueue {
  readonly #kinds: ReadonlyArray<Kind>
  readonly #intervalMillis: number
  readonly #tasks = new Map<string, PruneTask>()
  #scan: Scan | undefined
  #scannedAt = -Infinity
  #sweptAt = -Infinity

  constructor(kinds: ReadonlyArray<Kind>, intervalMillis: number) {
    this.#kinds = kinds
    this.#intervalMillis = intervalMillis
  }

  get length(): number {
    return this.#tasks.size
  }

  /** Whether no work is left until the next scan. */
  get isOver(): boolean {
    return this.#scan === undefined && this.length === 0
  }

  /** Whether organizations have to be scanned at `now`. Begins a scan when the interval has passed. */
  isScanning(now: number): boolean {
    if (this.#scan !== undefined) return true
    if (this.#kinds.length === 0 || now < this.#scannedAt + this.#intervalMillis) return false
    const isSweep = now >= this.#sweptAt + sweepMillis
    this.#scannedAt = now
    if (isSweep) this.#sweptAt = now
    this.#scan = {
      kinds: this.#kinds.filter((kind) => isSweep || !sweptKinds.has(kind)),
      after: undefined,
    }
    return true
  }

  /** The organization after which the next page begins. */
  get after(): OrganizationId | undefined {
    return this.#scan?.after
  }

  /** Adds the tasks of the page after `after`. */
  addPage(page: ReadonlyArray<OrganizationId>): void {
    if (this.#scan === undefined) return
    for (const organization of page) {
      for (const kind of this.#scan.kinds) {
        const task = { organization, kind, after: undefined }
        if (!this.#tasks.has(keyOf(task))) this.#tasks.set(keyOf(task), task)
      }
    }
    this.#scan = page.length < pageSize ? undefined : { ...this.#scan, after: page.at(-1) }
  }

  next(): PruneTask | undefined {
    for (const [key, task] of this.#tasks) {
      this.#tasks.delete(key)
      return task
    }
    return undefined
  }

  requeue(task: PruneTask): void {
    if (this.length < maxTasks) this.#tasks.set(keyOf(task), task)
  }
}
