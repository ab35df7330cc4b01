/** The refusals that a node has noted and not written yet. A flood of them costs the increment of a counter each. */
import * as Duration from "effect/Duration"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Refusal from "../../domain/verifications/Refusal.ts"
import { slotOf } from "../../domain/money/Total.ts"

/** A refusal before its number has a digest. */
export interface Noted extends Omit<Refusal.NewRefusal, "digest" | "maskedNumber" | "requestId"> {
  readonly phoneNumber: PhoneNumber | undefined
  /** The id as the caller has given it, which may belong to no request. */
  readonly requestId: string | undefined
}

/** Maximum number of kept refusals for one cause, channel and country in a write. */
export const maxPerCause = 10

/** Maximum number of kept refusals of an organization in a write. */
export const maxPerOrganization = 50

/** Maximum number of kept refusals that wait on a node. */
export const maxWaiting = 2_000

/** Number of counts of an organization in a write from which on countries are not distinguished. */
const maxCounts = 200

interface Counted extends Refusal.Count {
  count: number
  /** How many of them are kept. */
  kept: number
}

export interface Waiting {
  readonly counts: Map<string, Counted>
  readonly kept: Array<Noted>
}

const keyOf = ({ at, channel, code, country, operation, reason }: Refusal.Count): string =>
  `${at} ${operation} ${code} ${reason} ${channel} ${country}`

/** Counts one more, without its country if there are many counts. */
const countIn = (waiting: Waiting, one: Refusal.Count): Counted => {
  const { counts } = waiting
  const key = keyOf(one)
  const found = counts.get(key)
  if (found !== undefined) {
    found.count += one.count
    return found
  }
  if (counts.size >= maxCounts && one.country !== "") {
    return countIn(waiting, { ...one, country: "" })
  }
  const own = { ...one, kept: 0 }
  counts.set(key, own)
  return own
}

export class RefusalBuffer {
  readonly #waiting = new Map<OrganizationId, Waiting>()
  #kept = 0
  /** The last count, and what it is part of. In a flood most refusals are alike, and making the key costs the most. */
  #last: Counted | undefined
  #lastWaiting: Waiting | undefined

  get organizations(): ReadonlyArray<OrganizationId> {
    return [...this.#waiting.keys()]
  }

  #of(organization: OrganizationId): Waiting {
    const known = this.#waiting.get(organization)
    if (known !== undefined) return known
    const waiting = { counts: new Map<string, Counted>(), kept: [] }
    this.#waiting.set(organization, waiting)
    return waiting
  }

  #hasRoom({ kept }: Waiting): boolean {
    return kept.length < maxPerOrganization && this.#kept < maxWaiting
  }

  #keep(waiting: Waiting, one: Noted): void {
    waiting.kept.push(one)
    this.#kept += 1
  }

  /** Counts a refusal of the slot `at`, and keeps `note` of it if few of its kind wait. */
  add(
    organization: OrganizationId,
    at: number,
    operation: Refusal.Operation,
    { code, reason }: Pick<Refusal.Cause, "code" | "reason">,
    channel: Noted["channel"],
    country: string,
    note: () => Noted,
  ): void {
    const waiting = this.#of(organization)
    const last = this.#lastWaiting === waiting ? this.#last : undefined
    const isSame =
      last?.country === country &&
      last.channel === channel &&
      last.reason === reason &&
      last.code === code &&
      last.operation === operation &&
      last.at === at
    if (isSame) last.count += 1
    const counted = isSame
      ? last
      : countIn(waiting, { at, operation, code, reason, channel, country, count: 1 })
    this.#lastWaiting = waiting
    this.#last = counted
    if (counted.kept < maxPerCause && this.#hasRoom(waiting)) {
      this.#keep(waiting, note())
      counted.kept += 1
    }
  }

  /** Removes what waits of an organization. */
  take(organization: OrganizationId): Waiting | undefined {
    const waiting = this.#waiting.get(organization)
    this.#waiting.delete(organization)
    this.#kept -= waiting?.kept.length ?? 0
    return waiting
  }

  /** Adds what could not be written. Drops what is kept, but no count, where others have come meanwhile. */
  putBack(organization: OrganizationId, { counts, kept }: Waiting): void {
    const waiting = this.#of(organization)
    for (const { kept: _, ...one } of counts.values()) countIn(waiting, one)
    for (const one of kept) if (this.#hasRoom(waiting)) this.#keep(waiting, one)
  }
}

/**
 * The counts to write. A check names its request only, so its number is known after a read: a kept refusal then moves
 * to the country of its number.
 */
export const countsOf = (
  { counts, kept }: Waiting,
  found: ReadonlyArray<Noted>,
): ReadonlyArray<Refusal.Count> => {
  const copies = [...counts].map(([key, count]) => [key, { ...count }] as const)
  const moved: Waiting = { counts: new Map(copies), kept: [] }
  for (const [index, before] of kept.entries()) {
    const after = found[index] ?? before
    if (after.country === before.country && after.channel === before.channel) continue
    const { code, operation, reason } = after
    const at = slotOf(after.at)
    const cause = { at, code, operation, reason }
    countIn(moved, { ...cause, channel: before.channel, country: before.country, count: -1 })
    countIn(moved, { ...cause, channel: after.channel, country: after.country, count: 1 })
  }
  return [...moved.counts.values()]
    .filter(({ count }) => count > 0)
    .map(({ kept: _, ...count }) => count)
}

/** The counts that no event has reported yet. An event reports the counts of a minute, so a flood raises few events. */
export class RefusalReports {
  static readonly interval = Duration.minutes(1)

  /** Maximum number of causes in an event, the most frequent ones. */
  static readonly maxCauses = 20

  readonly #counts = new Map<OrganizationId, Map<string, Refusal.CausedCount>>()
  /** When the next event of an organization may be raised. Without it: now. */
  readonly #nextAt = new Map<OrganizationId, number>()

  get organizations(): ReadonlyArray<OrganizationId> {
    return [...this.#counts.keys()]
  }

  add(
    organization: OrganizationId,
    cause: Pick<Refusal.Cause, "code" | "reason"> & { readonly count?: number },
  ): void {
    const { code, count = 1, reason } = cause
    const own = this.#counts.get(organization) ?? new Map<string, Refusal.CausedCount>()
    this.#counts.set(organization, own)
    const outcome = Refusal.outcomeOf({ code, reason })
    own.set(outcome, { code, reason, count: count + (own.get(outcome)?.count ?? 0) })
  }

  /** Removes the counts of an event that may be raised at `now`, the highest first. */
  take(organization: OrganizationId, now: number): ReadonlyArray<Refusal.CausedCount> | undefined {
    for (const [one, at] of this.#nextAt) if (at <= now) this.#nextAt.delete(one)
    const counts = this.#counts.get(organization)
    if (counts === undefined || this.#nextAt.has(organization)) return undefined
    this.#counts.delete(organization)
    this.#nextAt.set(organization, now + Duration.toMillis(RefusalReports.interval))
    return [...counts.values()]
      .toSorted((a, b) => b.count - a.count)
      .slice(0, RefusalReports.maxCauses)
  }

  putBack(organization: OrganizationId, counts: ReadonlyArray<Refusal.CausedCount>): void {
    for (const one of counts) this.add(organization, one)
    this.#nextAt.delete(organization)
  }
}
