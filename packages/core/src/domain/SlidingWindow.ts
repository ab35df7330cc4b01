/**
 * An exact sliding window: no interval of the given length, wherever it starts,
 * holds more than `max` admitted events.
 *
 * The state is the list of admission times itself. It is never longer than
 * `max`, so it is small enough to live in the row that it guards.
 */

/** Admission times in epoch milliseconds, oldest first. */
export type SlidingWindow = ReadonlyArray<number>

/** How many events an interval may hold, and how long the interval is. */
export interface Limit {
  /** At most `maxTracked`. */
  readonly max: number
  readonly windowMillis: number
}

/** The most events that one window may track, which bounds the size of its row. */
export const maxTracked = 1_000

export const empty: SlidingWindow = []

export type Admission =
  | { readonly _tag: "Admitted"; readonly window: SlidingWindow }
  /** `retryAfterSeconds` is the smallest whole number of seconds, at least 1, after which a lone request is admitted. */
  | { readonly _tag: "Limited"; readonly retryAfterSeconds: number }

/**
 * Asks for one more event at `now` (epoch milliseconds). A refused event leaves no trace. No limit admits everything and
 * tracks nothing.
 */
export const admit = (self: SlidingWindow, limit: Limit | undefined, now: number): Admission => {
  if (limit === undefined) return { _tag: "Admitted", window: empty }
  const past = notAfter(self, now)
  const first = firstAfter(past, now - limit.windowMillis)
  if (past.length - first >= limit.max) {
    // With a limit of zero nothing will ever free a place: name a whole window.
    const blocking = limit.max > 0 ? (past[past.length - limit.max] ?? now) : now
    const wait = blocking + limit.windowMillis - now
    return { _tag: "Limited", retryAfterSeconds: Math.max(1, Math.ceil(wait / 1_000)) }
  }
  const window = past.slice(first)
  window.push(now)
  return { _tag: "Admitted", window }
}

/** After a repair of the organization's time, events may lie ahead of `now`: they count as of now. */
const notAfter = (self: SlidingWindow, now: number): SlidingWindow =>
  (self.at(-1) ?? now) <= now ? self : self.map((at) => Math.min(at, now))

/** The place of the first event after `at`. Events stand in order, so half of them are ruled out at a time. */
const firstAfter = (self: SlidingWindow, at: number): number => {
  let low = 0
  let high = self.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((self[middle] ?? at) <= at) low = middle + 1
    else high = middle
  }
  return low
}
