/** Guards a store's clock with a `ClockGuard`. For authors of stores. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ClockGuard from "../domain/values/ClockGuard.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as Telemetry from "./Telemetry.ts"

/** Maximum number of organizations whose alarm is remembered. */
const maxAlarmed = 1_000

/**
 * Turns readings of a store's clock into times to decide at. Logs and counts an alarm when the clock jumps
 * ahead, and once for each organization whose time is far ahead. Use one instance per store.
 */
export class GuardedClock {
  #guard = ClockGuard.initial
  readonly #alarmed = new Set<OrganizationId>()

  /** The time for a reading. `context` contains the monotonic clock and the loggers. */
  read(clockMillis: number, context: Context.Context<never>): number {
    const monotonicNanos = Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe()
    const monotonicMillis = Number(monotonicNanos / 1_000_000n)
    const { guard, now } = ClockGuard.read(this.#guard, { clockMillis, monotonicMillis })
    const { jump } = guard
    if (jump !== undefined && jump.since !== this.#guard.jump?.since) {
      raise(context, "jump", "The store's clock has jumped ahead and is not believed", {
        aheadSeconds: Math.round(jump.aheadMillis / 1_000),
      })
    }
    this.#guard = guard
    return now
  }

  /** Raises the alarm for an organization whose time is far ahead of `now`. */
  watch(
    organization: OrganizationId,
    lastAt: number,
    now: number,
    context: Context.Context<never>,
  ) {
    if (!ClockGuard.isFarAhead(lastAt, now) || this.#alarmed.has(organization)) return
    if (this.#alarmed.size < maxAlarmed) this.#alarmed.add(organization)
    raise(context, "organization", "An organization's time is far ahead: repair it", {
      organization,
      aheadSeconds: Math.round((lastAt - now) / 1_000),
    })
  }
}

const raise = (
  context: Context.Context<never>,
  kind: "jump" | "organization",
  message: string,
  details: Readonly<Record<string, unknown>>,
): void => {
  Telemetry.count(Telemetry.clockAlarms, { kind })(context)
  Effect.runForkWith(context)(Effect.logError(message, details))
}
