/**
 * Protects a store's time from a clock that jumps ahead.
 *
 * An organization's time never goes back. One commit under a clock that is years ahead would therefore block its
 * limits and hold its money for years. The guard believes a clock that agrees with the time passed since the
 * last believed reading. Otherwise it uses the passed time, until the clock has shown the same jump for
 * `confirmMillis`.
 */

export interface Reading {
  /** The store's clock, in epoch milliseconds. */
  readonly clockMillis: number
  /** Milliseconds of a clock that is never adjusted, from any starting point. */
  readonly monotonicMillis: number
}

export interface Jump {
  /** How far ahead it is, in milliseconds. */
  readonly aheadMillis: number
  /** Time of the first reading with the jump, by the monotonic clock. */
  readonly since: number
}

export interface ClockGuard {
  /** The last reading that was believed. */
  readonly believed: Reading | undefined
  readonly jump: Jump | undefined
}

export const initial: ClockGuard = { believed: undefined, jump: undefined }

/** How far a clock may be ahead of the passed time, in milliseconds. */
export const maxJumpMillis = 600_000

/** How long a clock must show the same jump before it is believed, in milliseconds. */
export const confirmMillis = 3_600_000

/** Reads the clocks. `now` is the time to use. A clock that goes back is believed. */
export const read = (
  self: ClockGuard,
  reading: Reading,
): { readonly guard: ClockGuard; readonly now: number } => {
  const { clockMillis, monotonicMillis } = reading
  const { believed, jump } = self
  const accepted = { guard: { believed: reading, jump: undefined }, now: clockMillis }
  if (believed === undefined) return accepted
  const passed = Math.max(0, monotonicMillis - believed.monotonicMillis)
  const expected = believed.clockMillis + passed
  const aheadMillis = clockMillis - expected
  // After the clock went far back, going forward again is not a jump.
  if (aheadMillis < -maxJumpMillis) {
    return { guard: { believed, jump: undefined }, now: clockMillis }
  }
  if (aheadMillis <= maxJumpMillis) return accepted
  const isSame = jump !== undefined && Math.abs(aheadMillis - jump.aheadMillis) <= maxJumpMillis
  if (isSame && monotonicMillis - jump.since >= confirmMillis) return accepted
  return {
    guard: { believed, jump: isSame ? jump : { aheadMillis, since: monotonicMillis } },
    now: expected,
  }
}

/** Whether a time is so far ahead of `now` that a clock must have been wrong. */
export const isFarAhead = (at: number, now: number): boolean => at - now > maxJumpMillis
