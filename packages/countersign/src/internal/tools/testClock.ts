import { MovableClock } from "../options/movableClock.ts"
import type { TestClock } from "../types/options.ts"

/** Creates a clock for the option `clock`, with which tests move time forward. Not for production. */
export const createTestClock = (): TestClock => new MovableClock()
