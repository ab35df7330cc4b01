/**
 * An exact sliding window: no interval of the given length contains more than `max` admitted events. Its
 * state is the list of at most `max` admission times.
 */

import { firstWhere } from "./internal/firstWhere.ts"

/** Admission times in epoch milliseconds, oldest first. */
export type SlidingWindow = ReadonlyArray<number>

/** Maximum number of events in an interval, and the length of the interval. */
export interface Limit {
  /** At most `maxTracked`. */
  readonly max: number
  readonly windowMillis: number
}

/** Maximum number of events that one window may track, which bounds the size of its row. */
export const maxTracked = 1_000

export const empty: SlidingWindow = []

export type Admission =
  | { readonly _tag: "Admitted"; readonly window: SlidingWindow }
  /** `retryAfterSeconds`, at least 1, is when a single request is admitted. */
  | { readonly _tag: "Limited"; readonly retryAfterSeconds: number }

/**
 * Requests admission of one more event at `now`. A rejected event leaves no trace. Without a limit, every
 * event is admitted and none is tracked.
 */
export const admit = (self: SlidingWindow, limit: Limit | undefined, now: number): Admission => {
  if (limit === undefined) return { _tag: "Admitted", window: empty }
  const past = notAfter(self, now)
  const start = now - limit.windowMillis
  const first = firstWhere(0, past.length, (index) => (past[index] ?? start) > start)
  if (past.length - first >= limit.max) {
    // With a limit of zero, no place ever becomes free: the wait is a whole window.
    const blocking = limit.max > 0 ? (past[past.length - limit.max] ?? now) : now
    const wait = blocking + limit.windowMillis - now
    return { _tag: "Limited", retryAfterSeconds: Math.max(1, Math.ceil(wait / 1_000)) }
  }
  const window = past.slice(first)
  window.push(now)
  return { _tag: "Admitted", window }
}

/** After a repair of the organization's time, events may lie ahead of `now`; they count as events of now. */
const notAfter = (self: SlidingWindow, now: number): SlidingWindow =>
  (self.at(-1) ?? now) <= now ? self : self.map((at) => Math.min(at, now))
