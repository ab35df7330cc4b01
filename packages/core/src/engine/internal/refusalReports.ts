import * as Duration from "effect/Duration"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Refusal from "../../domain/verifications/Refusal.ts"

/** The counts that no event has reported yet. An event reports those of a minute, so a flood raises few events. */
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
    {
      code,
      count = 1,
      reason,
    }: Pick<Refusal.Cause, "code" | "reason"> & { readonly count?: number },
  ): void {
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
