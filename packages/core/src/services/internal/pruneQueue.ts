import type { OrganizationId } from "../../domain/Ids.ts"
import type { Kind } from "../../decide/Pruning.ts"

/** A step that is to be taken. */
export interface PruneTask {
  readonly organization: OrganizationId
  readonly kind: Kind
  readonly after: string | undefined
}

interface Scan {
  readonly kinds: ReadonlyArray<Kind>
  /** The last organization that was met. */
  readonly after: OrganizationId | undefined
}

/** Organizations that the walk meets at a time. */
export const pageSize = 100

/** Steps that may wait for their turn; those beyond it are met again on the next walk. */
const maxVisits = 1_000

/** Idle recipients are few, and every one has to be looked at. */
const sweepMillis = 24 * 60 * 60 * 1_000

const keyOf = ({ kind, organization }: PruneTask): string => `${organization} ${kind}`

/**
 * Whom retention visits next. A walk meets all organizations, page by page; those where a step was not
 * enough come to the end of the line, so nobody waits longer because somebody else has much to drop.
 */
export class PruneQueue {
  readonly #kinds: ReadonlyArray<Kind>
  readonly #intervalMillis: number
  /** In the order of their turns. */
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

  /** Whether nothing is left to do until the next walk. */
  get isOver(): boolean {
    return this.#walk === undefined && this.length === 0
  }

  /** Whether there are organizations to be met at `now`; begins a walk when its time has come. */
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

  /** The organization behind which the next page begins. */
  get after(): OrganizationId | undefined {
    return this.#walk?.after
  }

  /** Takes in the page behind `after`. */
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

  /** Takes the first of the line. */
  next(): PruneTask | undefined {
    for (const [key, visit] of this.#line) {
      this.#line.delete(key)
      return visit
    }
    return undefined
  }

  /** Puts somebody at the end of the line. */
  requeue(visit: PruneTask): void {
    if (this.length < maxVisits) this.#line.set(keyOf(visit), visit)
  }
}
