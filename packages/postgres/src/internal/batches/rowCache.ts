/**
 * The rows that this node has read or written in earlier commits, by organization. They are valid as long as the
 * organization has the same stamp on the same server, which every write checks.
 *
 * A batch takes the rows of its organizations out, and puts them back when its outcome is known. What is lost
 * in between is read again.
 */
import { BoundedCache } from "@countersign/core/domain/BoundedCache"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { Key } from "../statements/batchReads.ts"
import type { BatchRows } from "./batchRows.ts"
import type { KnownRows, OrganizationRows } from "./organizationRows.ts"

export interface CacheBounds {
  readonly organizations: number
  readonly rows: number
  /** Maximum number of rows of one kind of an organization. */
  readonly rowsOfKind: number
}

/** A row takes 700 bytes on average, so a full memory takes 35 MB. */
export const cacheBounds: CacheBounds = { organizations: 10_000, rows: 50_000, rowsOfKind: 5_000 }

/**
 * Number of batches that read after rows in memory were refused. Times the number of organizations in the batch,
 * because a batch of many is refused for any of them.
 */
const cautiousBatches = 32

/** How often that number doubles while refusals follow each other. */
const maxDoublings = 5

/** The batches of an organization that still have to read, and how many had to since the last refusal. */
interface Caution {
  readonly left: number
  readonly pause: number
}

export class RowCache {
  readonly #bounds: CacheBounds
  readonly #known = new Map<string, OrganizationRows>()
  readonly #avoided: BoundedCache<string, Caution>
  /** Numbers of batches for which no recipient of an organization is guessed. */
  readonly #returning: BoundedCache<string, number>
  #server: number | undefined
  #rows = 0

  constructor(bounds: CacheBounds) {
    this.#bounds = bounds
    this.#avoided = new BoundedCache(bounds.organizations)
    this.#returning = new BoundedCache(bounds.organizations)
  }

  /** The server that has the rows. */
  get server(): number | undefined {
    return this.#server
  }

  get rows(): number {
    return this.#rows
  }

  take(organizations: ReadonlyArray<string>): KnownRows {
    const taken = new Map<string, OrganizationRows>()
    for (const organization of organizations) {
      const own = this.#remove(organization)
      if (own !== undefined) taken.set(organization, own)
    }
    return taken
  }

  /** Keeps the rows of a batch that was committed, or that has changed nothing and was confirmed. */
  keep({ organizations, server }: BatchRows): void {
    if (organizations.length === 0) return
    if (server !== this.#server) {
      for (const organization of this.#known.keys()) this.#remove(organization)
      this.#server = server
    }
    for (const own of organizations) {
      const { organization } = own.account
      if (this.#isAvoided(organization)) continue
      own.settle(this.#bounds.rowsOfKind)
      this.#known.set(organization, own)
      this.#rows += own.size
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#bounds.organizations && this.#rows <= this.#bounds.rows) break
      this.#remove(oldest)
    }
  }

  /** After a refusal of rows in memory: the next batches of the organizations read, twice as many each time. */
  avoid(organizations: ReadonlyArray<string>): void {
    const first = cautiousBatches * organizations.length
    for (const one of organizations) {
      const before = this.#avoided.get(one)?.pause ?? first / 2
      const pause = Math.min(2 * before, first * 2 ** maxDoublings)
      this.#avoided.set(one, { left: pause, pause })
    }
  }

  /** Counts a batch. Each one with rows in memory takes one off the next pause. */
  #isAvoided(organization: string): boolean {
    const caution = this.#avoided.get(organization)
    if (caution === undefined) return false
    const { left, pause } = caution
    if (left > 0) this.#avoided.set(organization, { left: left - 1, pause })
    else if (pause > cautiousBatches / 2)
      this.#avoided.set(organization, { left, pause: pause - 1 })
    else this.#avoided.delete(organization)
    return left > 0
  }

  /** Whether a recipient that is not in memory may be taken for absent. */
  canGuess = (organization: string): boolean => this.#returning.get(organization) === undefined

  /** Learns from recipients that were read whether phone numbers return. Returns whether one has. */
  noteRecipients(keys: ReadonlyArray<Key<PhoneNumber>>, rows: BatchRows): boolean {
    const organizations = new Set(keys.map(({ organization }) => organization))
    const isReturning = keys.some(
      ({ key, organization }) => rows.of(organization).recipient(key) !== undefined,
    )
    for (const one of organizations) {
      if (isReturning) this.#returning.set(one, cautiousBatches * organizations.size)
      else countDown(this.#returning, one)
    }
    return isReturning
  }

  #remove(organization: string): OrganizationRows | undefined {
    const own = this.#known.get(organization)
    if (own === undefined) return undefined
    this.#known.delete(organization)
    this.#rows -= own.size
    return own
  }
}

/** Whether the count is above zero. */
const countDown = (counts: BoundedCache<string, number>, key: string): boolean => {
  const count = counts.get(key)
  if (count === undefined) return false
  if (count > 1) counts.set(key, count - 1)
  else counts.delete(key)
  return true
}
