/**
 * An exact sliding window: no interval of the given length contains more than `max` admitted events. Its
 * state is the list of admission times in the interval that ends now, at most `max`.
 */

import { firstWhere } from "../values/internal/firstWhere.ts"

/** Admission times in epoch milliseconds, oldest first. */
export type SlidingWindow = ReadonlyArray<number>

/** Maximum number of events in an interval, and the length of the interval. */
export interface Limit {
  /** At most `maxTracked`. */
  readonly max: number
  readonly windowMillis: number
}

/** One limit, or several that all apply. The window then keeps the times of the longest interval. */
export type WindowLimit = Limit | ReadonlyArray<Limit>

/** The limits of a window. */
export const limitsOf = (limit: WindowLimit): ReadonlyArray<Limit> =>
  "max" in limit ? [limit] : limit

/** Maximum number of events that one window may track, which bounds the size of its row. */
export const maxTracked = 1_000

export const empty: SlidingWindow = []

export type Admission =
  | { readonly _tag: "Admitted"; readonly window: SlidingWindow }
  /** `retryAfterSeconds`, at least 1, is when every limit admits a single request. */
  | { readonly _tag: "Limited"; readonly retryAfterSeconds: number }

/**
 * Requests admission of one more event at `now`. A rejected event leaves no trace. Without a limit, every
 * event is admitted and none is tracked.
 */
export const admit = (
  self: SlidingWindow,
  limit: WindowLimit | undefined,
  now: number,
): Admission => {
  if (limit === undefined) return { _tag: "Admitted", window: empty }
  const seconds = retryAfterSeconds(self, limit, now)
  if (seconds > 0) return { _tag: "Limited", retryAfterSeconds: seconds }
  const past = notAfter(self, now)
  let longest = 0
  for (const { windowMillis } of limitsOf(limit)) longest = Math.max(longest, windowMillis)
  const start = now - longest
  const window = past.slice(firstWhere(0, past.length, (index) => (past[index] ?? now) > start))
  window.push(now)
  return { _tag: "Admitted", window }
}

/** Seconds until every limit admits an event; 0 if they admit one now. */
export const retryAfterSeconds = (self: SlidingWindow, limit: WindowLimit, now: number): number => {
  const past = notAfter(self, now)
  let wait = 0
  for (const one of limitsOf(limit)) wait = Math.max(wait, waitOf(past, one, now))
  return Math.ceil(wait / 1_000)
}

/** Milliseconds until the limit admits an event; 0 or less if it admits one now. */
const waitOf = (past: SlidingWindow, { max, windowMillis }: Limit, now: number): number => {
  // With a limit of zero, no place ever becomes free: the wait is a whole window.
  if (max === 0) return windowMillis
  const blocking = past[past.length - max]
  return blocking === undefined ? 0 : blocking + windowMillis - now
}

/** After a repair of the organization's time, events may lie ahead of `now`; they count as events of now. */
const notAfter = (self: SlidingWindow, now: number): SlidingWindow =>
  (self.at(-1) ?? now) <= now ? self : self.map((at) => Math.min(at, now))
