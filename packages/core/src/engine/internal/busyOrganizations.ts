/** Organizations whose lock was not available in time. Work across organizations skips them for a while. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { setNewest } from "../../domain/values/BoundedCache.ts"
import { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"

interface Wait {
  /** Milliseconds of the monotonic clock. */
  readonly until: number
  readonly millis: number
}

/** How long an organization is skipped at first, in milliseconds. Doubles up to the maximum. */
export const firstWaitMillis = 5_000
const maxWaitMillis = 60_000

/** Maximum number of tracked organizations. A further one replaces the one that was found busy first. */
const size = 1_000

const skipped = new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Whether one organization cannot be written to now, and not that the store is unavailable. */
export const isBusy = (error: { readonly _tag: string }): error is StoreUnavailable =>
  error instanceof StoreUnavailable && error.reason !== "connection"

export class BusyOrganizations {
  readonly #waits = new Map<OrganizationId, Wait>()

  /** The organizations that are skipped now. */
  readonly current: Effect.Effect<ReadonlyArray<OrganizationId>> = Effect.map(
    monotonicMillis,
    (now) => [...this.#waits].flatMap(([id, { until }]) => (now < until ? [id] : [])),
  )

  /** Runs work unless the organization is skipped. Afterwards, the first work tests it for all other work. */
  run<A, E extends { readonly _tag: string }, R>(
    organization: OrganizationId,
    work: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | StoreUnavailable, R> {
    return Effect.flatMap(monotonicMillis, (now): Effect.Effect<A, E | StoreUnavailable, R> => {
      const wait = this.#waits.get(organization)
      if (wait !== undefined && now < wait.until) return Effect.fail(skipped)
      const claim = wait && this.#skip(organization, wait.millis, now)
      return work.pipe(
        Effect.tap(() => Effect.sync(() => this.#waits.delete(organization))),
        Effect.tapError((error) =>
          isBusy(error)
            ? Effect.map(monotonicMillis, (later) => this.#markBusy(organization, claim, later))
            : Effect.void,
        ),
      )
    })
  }

  /** If several runs find the organization busy at the same time, only the first one counts. */
  #markBusy(organization: OrganizationId, claim: Wait | undefined, now: number): void {
    const wait = this.#waits.get(organization)
    if (wait !== undefined && wait !== claim && now < wait.until) return
    const millis = wait === undefined ? firstWaitMillis : wait.millis * 2
    this.#skip(organization, Math.min(maxWaitMillis, millis), now)
  }

  #skip(organization: OrganizationId, millis: number, now: number): Wait {
    const wait = { until: now + millis, millis }
    setNewest(this.#waits, organization, wait, size)
    return wait
  }
}
