/**
 * A clock that tests move forward.
 */
import { MovableClock } from "./movableClock.ts"

/** Milliseconds, or a string such as `"61 seconds"`. */
export type TimeSpan =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** The clock of an engine in memory. Time passes as usual, and `advance` adds to it. */
export interface TestClock {
  /** The current time of the engine. */
  readonly now: () => Date
  /**
   * Moves the clock forward. Resolves when the work that is now due has started, such as refunding a message.
   * Throws a `ConfigurationError` for a span that is negative or invalid.
   */
  readonly advance: (by: TimeSpan) => Promise<void>
}

/** Creates a clock for the option `clock`, with which tests move time forward. Not for production. */
export const createTestClock = (): TestClock => new MovableClock()
