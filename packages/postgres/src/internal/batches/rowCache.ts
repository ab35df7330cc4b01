/**
 * The rows that this node has read or written in earlier commits, by organization. They are valid as long as the
 * organization has the same stamp, which every write checks.
 *
 * A batch takes the rows of its organizations out, and puts them back when its outcome is known. Rows that are lost in
 * between are read again.
 */
import { BoundedCache } from "@countersign/core/domain/values/BoundedCache"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { Key } from "../statements/batchReads.ts"
import type { BatchRows } from "./batchRows.ts"
import type { KnownRows, OrganizationRows } from "./organizationRows.ts"

/** A row takes 700 bytes on average, so a full memory takes 35 MB. */
export const maxRows = 50_000

/** Number of rows of each kind that an organization keeps at least, for the commands under way. */
const minOfKind = 4

/**
 * Number of batches that read an organization after others have changed it. Times the number of organizations in
 * the batch, because a batch of many is refused for any of them.
 */
const avoidedBatches = 1_024

/** The same for the recipients of an organization after a wrong guess, until so many batches have found none. */
const returningBatches = 32

/** Number of organizations whose batches are counted. */
const maxCounted = 10_000

export class RowCache {
  readonly #maxRows: number
  readonly #known = new Map<string, OrganizationRows>()
  readonly #avoided = new BoundedCache<string, number>(maxCounted)
  readonly #returning = new BoundedCache<string, number>(maxCounted)
  #size = 0

  /** An organization keeps at most a tenth of its share of `max` rows of each kind, so that there is room for all. */
  constructor(max: number) {
    this.#maxRows = max
  }

  /** Number of rows in memory. */
  get size(): number {
    return this.#size
  }

  take(owners: ReadonlyArray<{ readonly organization: string }>): KnownRows {
    const taken = new Map<string, OrganizationRows>()
    for (const { organization } of owners) {
      const own = this.#remove(organization)
      if (own !== undefined) taken.set(organization, own)
    }
    return taken
  }

  /** Keeps the rows of a batch that was committed, or that has changed nothing and was confirmed. */
  keep({ organizations }: BatchRows): void {
    for (const own of organizations) {
      if (countDown(this.#avoided, own.organization)) continue
      own.settle(Math.max(minOfKind, this.#maxRows / (20 * (this.#known.size + 1))))
      this.#known.set(own.organization, own)
      this.#size += own.size
    }
    for (const oldest of this.#known.keys()) {
      if (this.#size <= this.#maxRows) break
      this.#remove(oldest)
    }
  }

  /** Learns from what a batch has read which organizations others have changed, and where phone numbers return. */
  learn(taken: KnownRows, rows: BatchRows, recipients: ReadonlyArray<Key<PhoneNumber>>): void {
    const { organizations } = rows
    for (const { organization, stamp } of organizations) {
      if ((taken.get(organization)?.stamp ?? stamp) === stamp) continue
      this.#avoided.set(organization, avoidedBatches * organizations.length)
    }
    const isReturning = recipients.some(
      ({ key, organization }) => rows.of(organization).recipient(key) !== undefined,
    )
    const all = new Set(recipients.map(({ organization }) => organization))
    for (const one of all) {
      if (isReturning) this.#returning.set(one, returningBatches * all.size)
      else countDown(this.#returning, one)
    }
  }

  /** Whether a recipient that is not in memory may be taken for absent. */
  canGuess = (organization: string): boolean => this.#returning.get(organization) === undefined

  #remove(organization: string): OrganizationRows | undefined {
    const own = this.#known.get(organization)
    if (own === undefined) return undefined
    this.#known.delete(organization)
    this.#size -= own.size
    return own
  }
}

/** Takes one off. Returns whether there was one. */
const countDown = (counts: BoundedCache<string, number>, key: string): boolean => {
  const count = counts.get(key) ?? 0
  if (count > 1) counts.set(key, count - 1)
  else counts.delete(key)
  return count > 0
}
