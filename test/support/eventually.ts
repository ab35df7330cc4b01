/**
 * Waiting for what another process does: a check is repeated until it passes, and no longer than its
 * bound.
 */
import { setTimeout as pause } from "node:timers/promises"

export interface Options {
  /** `@defaultValue 30_000`, which only a failing test reaches. */
  readonly withinMillis?: number
}

const everyMillis = 20

/** Gives what `check` gives once it does not throw; throws what it threw last when time is up. */
export const eventually = async <A>(
  check: () => A | Promise<A>,
  { withinMillis = 30_000 }: Options = {},
): Promise<A> => {
  const deadline = performance.now() + withinMillis
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() >= deadline) throw error
    }
    await pause(everyMillis)
  }
}
