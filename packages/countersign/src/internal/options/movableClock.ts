import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Duration as DurationText } from "@countersign/core/domain/values/DurationText"
import type { TestClock } from "../types/options.ts"
import { millisOf } from "./check.ts"

const live = Context.get(Context.empty(), Clock.Clock)

const maxTimerMillis = 2 ** 31 - 1

/** Number of event loop turns that `advance` waits, so that due work gets past its promises. */
const turns = 20

export class MovableClock implements Clock.Clock, TestClock {
  #aheadMillis = 0
  readonly #sleepers = new Set<() => void>()

  readonly now = (): Date => new Date(this.currentTimeMillisUnsafe())

  readonly advance = async (by: DurationText): Promise<void> => {
    this.#aheadMillis += millisOf("clock.advance: the time", by)
    // A copy, because a sleeper whose time has not come is added again.
    for (const wake of Array.from(this.#sleepers)) wake()
    for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next))
  }

  currentTimeMillisUnsafe(): number {
    return live.currentTimeMillisUnsafe() + this.#aheadMillis
  }

  currentTimeNanosUnsafe(): bigint {
    return live.currentTimeNanosUnsafe() + this.#aheadNanos
  }

  monotonicTimeNanosUnsafe(): bigint {
    return live.monotonicTimeNanosUnsafe() + this.#aheadNanos
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    return Effect.callback((resume) => {
      const due = this.#monotonicMillis + millis
      let timer: NodeJS.Timeout | undefined
      const stop = (): void => {
        clearTimeout(timer)
        this.#sleepers.delete(wake)
      }
      const wake = (): void => {
        stop()
        const rest = due - this.#monotonicMillis
        if (rest <= 0) return resume(Effect.void)
        this.#sleepers.add(wake)
        timer = setTimeout(wake, Math.min(rest, maxTimerMillis))
      }
      wake()
      return Effect.sync(stop)
    })
  }

  get #aheadNanos(): bigint {
    return BigInt(Math.round(this.#aheadMillis * 1e6))
  }

  get #monotonicMillis(): number {
    return Number(this.monotonicTimeNanosUnsafe()) / 1e6
  }
}
