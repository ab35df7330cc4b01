/**
 * Organizations whose lock could not be had in time. What works for many organizations leaves such a one
 * alone for a while, so that a lock that is held delays its own organization only.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { StoreUnavailable } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"

interface Wait {
  /** Milliseconds of the monotonic clock. */
  readonly until: number
  readonly millis: number
}

/** How long an organization is left alone the first time, and at most; it doubles from one to the other. */
export const firstWaitMillis = 5_000
export const maxWaitMillis = 60_000

/** Organizations that are remembered; one more takes the place of the one that was found busy first. */
const size = 1_000

const leftAlone = new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Whether an error means that one organization cannot be written to now, and not that the store is gone. */
export const isBusy = (error: { readonly _tag: string }): error is StoreUnavailable =>
  error instanceof StoreUnavailable && error.reason !== "connection"

export class BusyOrganizations {
  readonly #waits = new Map<OrganizationId, Wait>()

  /** Those that are left alone now. */
  readonly current: Effect.Effect<ReadonlyArray<OrganizationId>> = Effect.map(
    monotonicMillis,
    (now) => [...this.#waits].flatMap(([id, { until }]) => (now < until ? [id] : [])),
  )

  /**
   * Runs work on an organization. Fails with `isBusy` when the work does, and at once while the organization
   * is left alone. When that time is over, the first work to come finds out for all others.
   */
  run<A, E extends { readonly _tag: string }, R>(
    organization: OrganizationId,
    work: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | StoreUnavailable, R> {
    return Effect.flatMap(monotonicMillis, (now): Effect.Effect<A, E | StoreUnavailable, R> => {
      const wait = this.#waits.get(organization)
      if (wait !== undefined && now < wait.until) return Effect.fail(leftAlone)
      const claim = wait && this.#leave(organization, wait.millis, now)
      return work.pipe(
        Effect.tap(() => Effect.sync(() => this.#waits.delete(organization))),
        Effect.tapError((error) =>
          isBusy(error)
            ? Effect.map(monotonicMillis, (later) => this.#found(organization, claim, later))
            : Effect.void,
        ),
      )
    })
  }

  /** Of many that find out at the same time, the first is counted. */
  #found(organization: OrganizationId, claim: Wait | undefined, now: number): void {
    const wait = this.#waits.get(organization)
    if (wait !== undefined && wait !== claim && now < wait.until) return
    const millis = wait === undefined ? firstWaitMillis : wait.millis * 2
    this.#leave(organization, Math.min(maxWaitMillis, millis), now)
  }

  #leave(organization: OrganizationId, millis: number, now: number): Wait {
    const wait = { until: now + millis, millis }
    this.#waits.delete(organization)
    this.#waits.set(organization, wait)
    if (this.#waits.size > size) {
      for (const oldest of this.#waits.keys()) {
        this.#waits.delete(oldest)
        break
      }
    }
    return wait
  }
}
