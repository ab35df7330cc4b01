/**
 * A clock that tests move ahead.
 */
import { MovableClock } from "./movableClock.ts"

/** Milliseconds, or a text such as `"61 seconds"`. */
export type TimeSpan =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** The time of an engine in memory. It passes as usual, and `advance` adds to it. */
export interface TestClock {
  /** The time as the engine sees it. */
  readonly now: () => Date
  /**
   * Moves the clock ahead. Resolves when the work that has become due has begun, such as giving back the
   * price of a message. Throws a `ConfigurationError` for a span that is negative or cannot be read.
   */
  readonly advance: (by: TimeSpan) => Promise<void>
}

/** Makes a clock for the option `clock`, with which tests let hours pass at once. Not for production. */
export const createTestClock = (): TestClock => new MovableClock()
